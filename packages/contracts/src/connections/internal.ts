import { z } from 'zod';
import { clientId, connectionId, healthSystemId, serviceUserId } from '../identifiers';
import { fhirVersion } from '../releases';

/** The life of a connection (contract, "Connect"). */
export const connectionStatus = z.enum(['collecting', 'active', 'needs_reauthorization', 'failed', 'revoked']);
export type ConnectionStatus = z.infer<typeof connectionStatus>;

/** What the worker needs to collect over a connection. Answer of `GET /internal/v1/connections/{connection_id}`. */
export const connectionForCollection = z.object({
  connection_id: connectionId,
  client_id: clientId,
  service_user_id: serviceUserId,
  health_system_id: healthSystemId,
  fhirVersion,
  fhir_base_url: z.string(),
  patient_id: z.string().describe('The id of the patient at the source, from the token response.'),
  granted_scope: z.string(),
  status: connectionStatus,
  /** Changes whenever a collection is asked for; a job of an older one is stale. */
  collection_id: z.uuid(),
  last_completed_at: z.iso.datetime().nullable(),
});
export type ConnectionForCollection = z.infer<typeof connectionForCollection>;

/** `POST /internal/v1/connections/{connection_id}/access-token`: name the token the health system refused to have it refreshed first. */
export const accessTokenRequest = z.object({ refused_token_id: z.string().optional() });

export const healthSystemAccess = z.object({
  access_token: z.string(),
  token_id: z.string().describe('Names this token without showing it.'),
  expires_at: z.iso.datetime().nullable(),
});
export type HealthSystemAccess = z.infer<typeof healthSystemAccess>;

/** How far the collection of one resource type is. */
export const typeProgress = z.object({
  type: z.string(),
  fetched: z.int(),
  stored: z.int(),
  unchanged: z.int(),
  failed: z.int(),
  done: z.boolean(),
  warnings: z.array(z.string()),
});
export type TypeProgress = z.infer<typeof typeProgress>;

/**
 * Whether a failure passes by itself (`transient`: no answer, 408, 429, 5xx) or needs somebody to act (`permanent`). After a transient one
 * the connection stays `collecting`; user-management queues the same collection again later, and the worker resumes it.
 */
export const collectionFailure = z.enum(['transient', 'permanent']);
export type CollectionFailure = z.infer<typeof collectionFailure>;

/**
 * `PUT /internal/v1/connections/{connection_id}/collections/{collection_id}`: the worker's report, whole each time. After `failed` the
 * worker ends its job without an error, whatever the failure is.
 */
export const collectionReport = z.object({
  state: z.enum(['collecting', 'completed', 'failed']),
  types: z.array(typeProgress),
  error: z.string().optional(),
  failure: collectionFailure.optional().describe('Of the state `failed`; `permanent` when absent.'),
  retry_after_seconds: z
    .int()
    .min(0)
    .optional()
    .describe('Of a transient failure: the pause that the health system asked for.'),
});
export type CollectionReport = z.infer<typeof collectionReport>;

/** `POST /internal/v1/connections/status`: at most 1,000 connections at once. */
export const connectionStatusRequest = z.object({ connection_ids: z.array(connectionId).max(1000) });

/** Its answer names the connections that exist; one that is absent was deleted with its user. */
export const connectionStatuses = z.object({
  connections: z.array(z.object({ connection_id: connectionId, status: connectionStatus })),
});
