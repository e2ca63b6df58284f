import { fhirVersion } from '@tributary/contracts';
import { z } from 'zod';

/** One authorization to ask for: all releases of a health system that share an authorization server. */
export const leg = z.object({
  endpoints: z.array(z.object({ fhirVersion, fhir_base_url: z.string() })).min(1),
  authorizationEndpoint: z.string(),
  tokenEndpoint: z.string(),
  issuer: z.string().optional(),
  scopesSupported: z.array(z.string()).optional(),
  signingAlgorithms: z.array(z.string()).optional(),
  scopeForm: z.enum(['wildcard', 'perType']),
});
export type Leg = z.infer<typeof leg>;

/** Why a user comes back without a connection; the value of `error` in the redirect to the client. */
export const journeyError = z.enum([
  'access_denied',
  'health_system_error',
  'health_system_not_registered',
  'user_inactive',
]);
export type JourneyError = z.infer<typeof journeyError>;

/** A user's way from the client through the health system and back; it may take several authorizations, one after the other. */
export const journey = z.object({
  serviceUserId: z.number(),
  clientId: z.string(),
  healthSystem: z.object({ id: z.number(), name: z.string() }),
  redirectUri: z.string(),
  clientState: z.string().optional(),
  /** Parameters that the sandbox understands. */
  hints: z.record(z.string(), z.string()),
  remaining: z.array(leg),
  connected: z.boolean(),
  firstError: journeyError.optional(),
});
export type Journey = z.infer<typeof journey>;
