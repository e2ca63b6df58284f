import { z } from 'zod';
import { exampleValues } from '../examples';
import { connectionId, healthSystemId } from '../identifiers';
import { fhirVersion } from '../releases';
import { type TypeOutcome, collectionWarning, connectionError, typeOutcomes } from './collection-result';
import { consentSummary } from './consent';
import { connectionStatus, typeProgress } from './internal';

/** The responses of the public API of connect. */

export const connectionWarning = collectionWarning
  .extend({
    type: z.string().optional().describe('The resource type that the warning is about.'),
  })
  .meta({ id: 'ConnectionWarning' });
export type ConnectionWarning = z.infer<typeof connectionWarning>;

const typeCount = z.int().min(0);

/** The number of resource types with each outcome. Types whose collection has not ended are not counted. */
export const outcomeCounts = z
  .object({
    complete: typeCount.describe(typeOutcomes.complete.meaning),
    partial: typeCount.describe(typeOutcomes.partial.meaning),
    refused: typeCount.describe(typeOutcomes.refused.meaning),
    not_offered: typeCount.describe(typeOutcomes.not_offered.meaning),
    failed: typeCount.describe(typeOutcomes.failed.meaning),
  })
  .meta({ id: 'OutcomeCounts', examples: [{ complete: 14, partial: 1, refused: 1, not_offered: 9, failed: 0 }] });
export type OutcomeCounts = z.infer<typeof outcomeCounts>;

/** Counts resource types by their outcome. */
export function countOutcomes(types: readonly { outcome: TypeOutcome }[]): OutcomeCounts {
  const counts = { complete: 0, partial: 0, refused: 0, not_offered: 0, failed: 0 };
  for (const { outcome } of types) if (outcome !== 'pending') counts[outcome] += 1;
  return counts;
}

export const connectionEntry = z
  .object({
    connection_id: connectionId,
    health_system: z.object({ id: healthSystemId, name: z.string().meta({ examples: ['Example Hospital'] }) }),
    fhirVersion,
    patient: z
      .object({
        id: z
          .string()
          .describe('The id of the Patient at the health system.')
          .meta({ examples: ['eq081-VQEgP8drUUqCWzHfw3'] }),
        name: z
          .string()
          .optional()
          .meta({ examples: ['Amelia Hart'] }),
        birth_date: z
          .string()
          .optional()
          .describe('`YYYY`, `YYYY-MM` or `YYYY-MM-DD`.')
          .meta({ examples: ['1984-03-09'] }),
      })
      .describe(
        'Whose record the connection collects, as its health system names the Patient. `name` and `birth_date` are absent until the Patient could be read.',
      ),
    other_person: z
      .boolean()
      .describe('Whether this Patient was another person than those of the record when it was connected.'),
    status: connectionStatus,
    progress: z.object({
      collected: z
        .int()
        .min(0)
        .describe(
          'Resources that this connection has collected, over all of its collections, without those that the health system has deleted since. A resource that your client deletes stays counted, and is not counted again when a full collection restores it. When a collection was replaced by a newer one before its end, it can be lower.',
        ),
      types_done: z.int().min(0).describe('Resource types of the current or last collection that have ended.'),
      types_total: z
        .int()
        .min(0)
        .describe(
          'Planned resource types; 0 before the first collection is planned, and constant from then on until the collection ends. Types to which only references lead are not counted.',
        ),
    }),
    complete: z
      .boolean()
      .describe(
        'Whether the last collection that ended read everything that the health system offers. `active` with `false`: something was refused or could not be read; `warnings` name it. It keeps its value while the connection is collected again.',
      ),
    outcomes: outcomeCounts.describe(
      'How many resource types ended with each outcome: of the last collection that ended, and during the first one, of those that have ended so far. `getConnection` returns the outcome of each type.',
    ),
    warnings: z
      .array(connectionWarning)
      .describe(
        'What is missing and why, of the last collection that ended, and during the first one, of that one: at most 50. A warning of an earlier collection stays until its type is read in full again.',
      ),
    warnings_omitted: z.int().min(0).describe('How many warnings are left out. `getConnection` returns all of them.'),
    information: z
      .array(connectionWarning)
      .describe(
        'What was unusual although nothing is missing, such as types that the health system does not offer: at most 50.',
      ),
    last_collected_at: z.iso.datetime().nullable().describe('When a collection was last completed.'),
    granted_scopes: z.array(z.string()).describe('The scopes that were granted, as the health system names them.'),
    refreshable: z
      .boolean()
      .describe(
        'Whether the health system issued a refresh token. Without one the user must connect again when the access token expires.',
      ),
    access_expires_at: z.iso
      .datetime()
      .optional()
      .describe('Without a refresh token: when the access token expires, as the health system stated it.'),
    consent: consentSummary.describe('What the user agreed to when the connection was last made.'),
    error: connectionError.optional(),
    retry_at: z.iso
      .datetime()
      .optional()
      .describe('While `collecting`: the health system is not available, and the collection is resumed at this time.'),
  })
  .meta({ id: 'Connection' });
export type ConnectionEntry = z.infer<typeof connectionEntry>;

/** Response of `GET /connect/v1/connections`. */
export const connectionList = z
  .object({ success: z.literal(true), entry: z.array(connectionEntry) })
  .meta({ id: 'ConnectionList' });

/** The result of one resource type. */
export const typeResult = typeProgress.pick({ type: true, outcome: true, warnings: true }).meta({ id: 'TypeResult' });
export type TypeResult = z.infer<typeof typeResult>;

/**
 * Response of `GET /connect/v1/connections/{connection_id}`, with the progress and the result of each resource type.
 */
export const connectionDetail = connectionEntry
  .extend({
    success: z.literal(true),
    types: z.array(typeProgress).describe('The progress of each type in the current or last collection.'),
    results: z
      .array(typeResult)
      .describe(
        'The result of each type in the last collection that ended, with the warnings of earlier ones that still hold.',
      ),
  })
  .meta({ id: 'ConnectionDetail' });
export type ConnectionDetail = z.infer<typeof connectionDetail>;

/** Response of `POST /connect/v1/links`. */
export const connectLink = z
  .object({
    url: z
      .url()
      .describe('Send the browser of the user here. It works once, and holds no token.')
      .meta({ examples: [`https://api.example.org/connect/links/${exampleValues.connect_link}`] }),
    expires_at: z.iso.datetime().describe('When it ends: ten minutes after the request.'),
  })
  .meta({ id: 'ConnectLink' });

/** Response of `POST /connect/v1/connections/{connection_id}/refresh`. */
export const refreshedConnection = connectionEntry
  .extend({ success: z.literal(true) })
  .meta({ id: 'RefreshedConnection' });
