import { EntitySchema } from 'typeorm';
import { bigintColumn } from '../database/bigint-column';

/** Why a health system does not accept our client: it is not registered there, or its credentials are rejected. */
export type ClientProblem = 'not_registered' | 'refused';

/**
 * The tokens of one authorization at a health system, used by one connection per FHIR release that the authorization
 * covers.
 */
export interface Grant {
  grantId: string;
  serviceUserId: number;
  /** The audience (`aud`) of the authorization. Our registration for this base authenticates our client. */
  fhirBaseUrl: string;
  tokenEndpoint: string;
  signingAlgorithms: string[] | null;
  /** The method of client authentication that the token endpoint accepted last. */
  clientAuthenticationMethod: string;
  /** A `TokenSet`, sealed under the data key of the user. */
  tokensSealed: Buffer;
  /** Identifies the access token to the worker, which reports it when the health system rejects it. */
  tokenId: string;
  obtainedAt: Date;
  expiresAt: Date | null;
  /** Of the authorization request, separated by spaces. */
  requestedScope: string;
  /** As the token response names them, separated by spaces. */
  scope: string;
  /** Parameters that every search requires, with their values; see `searchParametersOfAccessToken`. */
  searchParameters: Record<string, string>;
  refreshable: boolean;
  /** See `refresh-lease.ts`. */
  refreshLease: string | null;
  refreshLeaseUntil: Date | null;
  /** See `refresh-schedule.ts`. */
  refreshFailures: number;
  refreshRefusals: number;
  refusedSince: Date | null;
  refusalProbes: number;
  uselessTokens: number;
  nextRefreshAt: Date | null;
  /** When the health system last issued tokens for this grant, by the clock of PostgreSQL. */
  issuedAt: Date;
  clientProblem: ClientProblem | null;
  clientProblemSince: Date | null;
}

export const grantEntity = new EntitySchema<Grant>({
  name: 'HealthSystemGrant',
  tableName: 'health_system_grant',
  columns: {
    grantId: { name: 'grant_id', type: 'uuid', primary: true },
    serviceUserId: { ...bigintColumn, name: 'service_user_id' },
    fhirBaseUrl: { name: 'fhir_base_url', type: 'text' },
    tokenEndpoint: { name: 'token_endpoint', type: 'text' },
    signingAlgorithms: { name: 'signing_algorithms', type: 'text', array: true, nullable: true },
    clientAuthenticationMethod: { name: 'client_authentication_method', type: 'text' },
    tokensSealed: { name: 'tokens_sealed', type: 'bytea' },
    tokenId: { name: 'token_id', type: 'uuid' },
    obtainedAt: { name: 'obtained_at', type: 'timestamptz' },
    expiresAt: { name: 'expires_at', type: 'timestamptz', nullable: true },
    requestedScope: { name: 'requested_scope', type: 'text' },
    scope: { type: 'text' },
    searchParameters: { name: 'search_parameters', type: 'jsonb', default: {} },
    refreshable: { type: 'boolean' },
    refreshLease: { name: 'refresh_lease', type: 'uuid', nullable: true },
    refreshLeaseUntil: { name: 'refresh_lease_until', type: 'timestamptz', nullable: true },
    refreshFailures: { name: 'refresh_failures', type: 'integer', default: 0 },
    refreshRefusals: { name: 'refresh_refusals', type: 'integer', default: 0 },
    refusedSince: { name: 'refused_since', type: 'timestamptz', nullable: true },
    refusalProbes: { name: 'refusal_probes', type: 'integer', default: 0 },
    uselessTokens: { name: 'useless_tokens', type: 'integer', default: 0 },
    nextRefreshAt: { name: 'next_refresh_at', type: 'timestamptz', nullable: true },
    issuedAt: { name: 'issued_at', type: 'timestamptz', default: () => 'now()' },
    clientProblem: { name: 'client_problem', type: 'text', nullable: true },
    clientProblemSince: { name: 'client_problem_since', type: 'timestamptz', nullable: true },
  },
});
