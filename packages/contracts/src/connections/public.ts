import { z } from 'zod';
import { connectionId, healthSystemId } from '../identifiers';
import { fhirVersion } from '../releases';
import { connectionStatus, typeProgress } from './internal';

/** The responses of the public API of connect. */

export const connectionEntry = z.object({
  connection_id: connectionId,
  health_system: z.object({ id: healthSystemId, name: z.string() }),
  fhirVersion,
  status: connectionStatus,
  progress: z.object({
    collected: z.int().min(0).describe('Resources of the current or last collection that are stored in the record.'),
    types_done: z.int().min(0),
    types_total: z.int().min(0),
  }),
  last_collected_at: z.iso.datetime().nullable().describe('When a collection was last completed.'),
  error: z.string().optional(),
  retry_at: z.iso
    .datetime()
    .optional()
    .describe('While `collecting`: the health system is not available, and the collection is resumed at this time.'),
});
export type ConnectionEntry = z.infer<typeof connectionEntry>;

/** Response of `GET /connect/v1/connections`. */
export const connectionList = z.object({ success: z.literal(true), entry: z.array(connectionEntry) });

/** Response of `GET /connect/v1/connections/{connection_id}`, with the progress of each resource type. */
export const connectionDetail = connectionEntry.extend({ success: z.literal(true), types: z.array(typeProgress) });

/** Response of `POST /connect/v1/connections/{connection_id}/refresh`. */
export const refreshedConnection = connectionEntry.extend({ success: z.literal(true) });
