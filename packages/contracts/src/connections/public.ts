import { z } from 'zod';
import { connectionId, healthSystemId } from '../identifiers';
import { fhirVersion } from '../releases';
import { collectionWarning, connectionError } from './collection-result';
import { connectionStatus, typeProgress } from './internal';

/** The responses of the public API of connect. */

export const connectionWarning = collectionWarning.extend({
  type: z.string().optional().describe('The resource type that the warning is about.'),
});
export type ConnectionWarning = z.infer<typeof connectionWarning>;

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
  complete: z
    .boolean()
    .describe(
      'Whether the last collection read everything that the health system offers. `active` with `false`: something was refused or could not be read; `warnings` name it.',
    ),
  warnings: z.array(connectionWarning),
  last_collected_at: z.iso.datetime().nullable().describe('When a collection was last completed.'),
  granted_scopes: z.array(z.string()).describe('The scopes that were granted, as the health system names them.'),
  refreshable: z
    .boolean()
    .describe(
      'Whether the health system issued a refresh token. Without one the user must connect again when the access token expires.',
    ),
  error: connectionError.optional(),
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
