import { clientApplication, fhirVersion, redirectError } from '@tributary/contracts';
import { z } from 'zod';
import { authorizationServer } from '../health-systems/authorization-server';
import { scopeFallbacks } from './scopes';

const fhirEndpoint = z.object({ fhirVersion, fhir_base_url: z.string() });

/**
 * An OAuth authorization request to one authorization server. It covers all FHIR releases of a health system that share
 * the server.
 */
export const authorizationRequest = authorizationServer.extend({
  /** The first is the audience (`aud`) of the request. */
  endpoints: z.tuple([fhirEndpoint], fhirEndpoint),
  /** The `client_id` of our registration at the health system. */
  clientId: z.string(),
  /** Of our registration. */
  redirectUri: z.string(),
  /** The scopes that our registration prescribes, if any. */
  registeredScopes: z.string().optional(),
  /** The step that another user succeeded with after a refusal; see `scopes.ts`. */
  acceptedScopeFallback: z.enum(scopeFallbacks).optional(),
  /** The `scope` parameters that the health system refused in this session. */
  refusedScopes: z.array(z.string()),
});
export type AuthorizationRequest = z.infer<typeof authorizationRequest>;

/**
 * One session of a user with `connect`, from the client's redirect until the user is sent back to the client. A session
 * sends one or more authorization requests, one after the other.
 */
export const connectSession = z.object({
  serviceUserId: z.number(),
  client: clientApplication.omit({ redirect_uris: true, logo: true, frame_origins: true }),
  healthSystem: z.object({ id: z.number(), name: z.string() }),
  /** The resource types that are requested, with Patient. Null: all. */
  types: z.array(z.string()).nullable(),
  /** Of the client. */
  redirectUri: z.string(),
  /** `state` of the client, returned unchanged. */
  clientState: z.string().optional(),
  /** `prompt` and `login_hint`, in sandbox mode. */
  forwardedParameters: z.record(z.string(), z.string()),
  /** Whether the user has confirmed that another person belongs into the record. */
  confirmsPerson: z.boolean().optional(),
  remainingRequests: z.array(authorizationRequest),
  connections: z.array(z.object({ connectionId: z.string(), fhirVersion })),
  /** Whether one of them is of another person than those of the record before. */
  hasOtherPerson: z.boolean().optional(),
  firstError: redirectError.optional(),
});
export type ConnectSession = z.infer<typeof connectSession>;
