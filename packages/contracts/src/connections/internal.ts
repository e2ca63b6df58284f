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

/** `PUT /internal/v1/connections/{connection_id}/collections/{collection_id}`: the worker's report, whole each time. */
export const collectionReport = z.object({
  state: z.enum(['collecting', 'completed', 'failed']),
  types: z.array(typeProgress),
  error: z.string().optional(),
});
export type CollectionReport = z.infer<typeof collectionReport>;
