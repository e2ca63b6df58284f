import { z } from 'zod';
import { clientId, connectionId, healthSystemId, serviceUserId } from '../identifiers';
import { fhirVersion } from '../releases';
import { collectionWarning, connectionError, typeOutcome } from './collection-result';
import { person } from './person';

/** The states of a connection. */
export const connectionStatus = z
  .enum(['collecting', 'active', 'needs_reauthorization', 'failed', 'revoked'])
  .meta({ id: 'ConnectionStatus' });
export type ConnectionStatus = z.infer<typeof connectionStatus>;

/** The data of a connection that a collection needs. Response of `GET /internal/v1/connections/{connection_id}`. */
export const connectionForCollection = z.object({
  connection_id: connectionId,
  client_id: clientId,
  service_user_id: serviceUserId,
  health_system_id: healthSystemId,
  fhirVersion,
  fhir_base_url: z.string(),
  patient_id: z.string().describe('The id of the Patient at the health system, from the token response.'),
  person: person.optional().describe('Whose record it was when it was last read; absent when it never could be.'),
  requested_scope: z.string().describe('The scopes of the authorization request, separated by spaces.'),
  granted_scope: z.string().describe('The granted scopes as the token response names them.'),
  search_parameters: z
    .record(z.string(), z.string())
    .describe('Parameters that the health system requires in every search, in plain text.'),
  consented_types: z
    .array(z.string())
    .nullable()
    .describe('The resource types that the user has consented to; `null`: all. No other is collected.'),
  status: connectionStatus,
  /** Changes with each requested collection; jobs with an older id are superseded. */
  collection_id: z.uuid(),
  last_completed_at: z.iso.datetime().nullable(),
  is_full_requested: z.boolean().describe('The collection is to search for everything, not for changes only.'),
  is_paused: z.literal(true).optional().describe('Nothing may be sent to the health system at the moment.'),
});
export type ConnectionForCollection = z.infer<typeof connectionForCollection>;

/**
 * Body of `POST /internal/v1/connections/{connection_id}/access-token`. With the id of a refused token the grant is
 * refreshed first.
 */
export const accessTokenRequest = z.object({
  refused_token_id: z.string().optional(),
  never_accepted: z
    .boolean()
    .optional()
    .describe(
      'Whether the health system refused the token in its first request. Such tokens are not replaced without limit.',
    ),
});
export type AccessTokenRequest = z.infer<typeof accessTokenRequest>;

export const healthSystemAccess = z.object({
  access_token: z.string(),
  token_id: z.string().describe('Identifies the token without revealing it.'),
  expires_at: z.iso.datetime().nullable(),
});
export type HealthSystemAccess = z.infer<typeof healthSystemAccess>;

/**
 * How a collection reads a resource type.
 *
 * - `full`: all of the type that the health system offers.
 * - `changes`: what changed since the last completed collection. The warnings of that collection stay valid.
 * - `references`: only targets of references. No search of the type is planned.
 */
export const typeRead = z.enum(['full', 'changes', 'references']);
export type TypeRead = z.infer<typeof typeRead>;

/** The progress of the collection of one resource type, as counts of resources, and its result. */
export const typeProgress = z
  .object({
    type: z.string(),
    read: typeRead,
    fetched: z.int(),
    stored: z.int(),
    unchanged: z.int(),
    failed: z.int(),
    created: z.int().describe('Of the stored ones: those that the record did not hold before.'),
    restored: z.int().optional().describe('Of the created ones: those that the record had held once, and deleted.'),
    deleted: z.int().describe('Those that were deleted in the record, as the health system has deleted them.'),
    done: z.boolean().describe('Whether the collection of the type has ended.'),
    outcome: typeOutcome,
    warnings: z.array(collectionWarning),
  })
  .meta({ id: 'TypeProgress' });
export type TypeProgress = z.infer<typeof typeProgress>;

/**
 * Whether a failure is temporary (`transient`: no response, 408, 429, 5xx) or needs an action of the user or operator
 * (`permanent`). After a transient failure the connection stays `collecting`; user-management queues the same
 * collection again later, and the worker resumes it.
 */
export const collectionFailure = z.enum(['transient', 'permanent']);
export type CollectionFailure = z.infer<typeof collectionFailure>;

/**
 * Body of `PUT /internal/v1/connections/{connection_id}/collections/{collection_id}`: the complete progress each time.
 * After `failed` the worker ends its job without an error, for transient and permanent failures alike.
 */
export const collectionReport = z.object({
  state: z.enum(['collecting', 'completed', 'failed']),
  types: z.array(typeProgress),
  person: person.optional().describe('Whose record it is, when the collection has read the Patient.'),
  error: connectionError.optional().describe('With the state `failed`.'),
  failure: collectionFailure.optional().describe('With the state `failed`; `permanent` when absent.'),
  retry_after_seconds: z
    .int()
    .min(0)
    .optional()
    .describe('With a transient failure: the `Retry-After` of the health system, in seconds.'),
});
export type CollectionReport = z.infer<typeof collectionReport>;

/** Body of `POST /internal/v1/connections/status`. */
export const connectionStatusRequest = z.object({ connection_ids: z.array(connectionId).max(1000) });

/** Response of `POST /internal/v1/connections/status`. A connection that is absent was deleted with its user. */
export const connectionStatuses = z.object({
  connections: z.array(z.object({ connection_id: connectionId, status: connectionStatus })),
});
