import { fhirVersion } from '@tributary/contracts';
import { z } from 'zod';
import { scopeSteps } from './scopes';

const fhirEndpoint = z.object({ fhirVersion, fhir_base_url: z.string() });

/**
 * An OAuth authorization request to one authorization server. It covers all FHIR releases of a health system that share
 * the server.
 */
export const authorizationRequest = z.object({
  /** The first is the audience (`aud`) of the request. */
  endpoints: z.tuple([fhirEndpoint], fhirEndpoint),
  authorizationEndpoint: z.string(),
  tokenEndpoint: z.string(),
  issuer: z.string().optional(),
  scopesSupported: z.array(z.string()).optional(),
  /** Of the SMART configuration. */
  capabilities: z.array(z.string()).optional(),
  authMethods: z.array(z.string()).optional(),
  signingAlgorithms: z.array(z.string()).optional(),
  /** The `client_id` of our registration at the health system. */
  clientId: z.string(),
  /** The scopes that our registration prescribes, if any. */
  registeredScopes: z.string().optional(),
  /** The step that another user succeeded with after a refusal; see `scopes.ts`. */
  acceptedScopeStep: z.enum(scopeSteps).optional(),
  /** The `scope` parameters that the health system refused in this visit. */
  refusedScopes: z.array(z.string()),
});
export type AuthorizationRequest = z.infer<typeof authorizationRequest>;

/** Why a user returns without a connection: the value of `error` in the redirect to the client. */
export const connectError = z.enum([
  /** The user denied access, or did not sign in. */
  'access_denied',
  /** The health system names no patient: the account is that of a practitioner, a relative, or has no record. */
  'no_patient',
  /** The health system refuses every set of scopes that it was asked for. */
  'invalid_scope',
  /** Our client is not registered at the health system, or the health system refuses it. */
  'not_registered',
  /** The health system does not respond, or responds with an error of its own. */
  'system_unavailable',
  /** The visit took longer than ten minutes, or the authorization code expired. */
  'expired',
  /** An error of this service, or a request of it that the health system does not understand. */
  'server_error',
  /** The user was deactivated or deleted during the visit. */
  'user_inactive',
]);
export type ConnectError = z.infer<typeof connectError>;

/**
 * One visit of a user to `connect`, from the client's redirect until the user is sent back to the client. A session
 * sends one or more authorization requests, one after the other.
 */
export const connectSession = z.object({
  serviceUserId: z.number(),
  clientId: z.string(),
  healthSystem: z.object({ id: z.number(), name: z.string() }),
  /** Of the client. */
  redirectUri: z.string(),
  /** `state` of the client, returned unchanged. */
  clientState: z.string().optional(),
  /** `prompt` and `login_hint`, in sandbox mode. */
  forwardedParameters: z.record(z.string(), z.string()),
  remainingRequests: z.array(authorizationRequest),
  /** The connections that were made in this visit. */
  connections: z.array(z.object({ connectionId: z.string(), fhirVersion })),
  firstError: connectError.optional(),
});
export type ConnectSession = z.infer<typeof connectSession>;
