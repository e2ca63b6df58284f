import { EntitySchema } from 'typeorm';

export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** `token_endpoint_auth_method` of our client (RFC 7591, section 2). */
export type AuthMethod = (typeof authMethods)[number];

/** The registration of our client at one health system, or at all health systems on a vendor's host. */
export interface Registration {
  registrationId: string;
  matches: 'fhir_base' | 'host';
  /** A FHIR base URL without a slash at its end; or a host, `host:port`, or `*.domain`. */
  pattern: string;
  clientId: string;
  clientSecretSealed: Buffer | null;
  authMethod: AuthMethod;
  /** Requested instead of the default scopes, if set. */
  scopes: string | null;
  /** The last segment of our redirect_uri at the health system; null for the one that registrations share. */
  callback: string | null;
  changedAt: Date;
}

export const registrationEntity = new EntitySchema<Registration>({
  name: 'Registration',
  tableName: 'registration',
  columns: {
    registrationId: { name: 'registration_id', type: 'uuid', primary: true, generated: 'uuid' },
    matches: { type: 'text' },
    pattern: { type: 'text' },
    clientId: { name: 'client_id', type: 'text' },
    clientSecretSealed: { name: 'client_secret_sealed', type: 'bytea', nullable: true },
    authMethod: { name: 'auth_method', type: 'text' },
    scopes: { type: 'text', nullable: true },
    callback: { type: 'text', nullable: true },
    changedAt: { name: 'changed_at', type: 'timestamptz', updateDate: true },
  },
  uniques: [{ columns: ['matches', 'pattern'] }],
});
