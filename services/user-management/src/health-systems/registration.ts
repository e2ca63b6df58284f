import { EntitySchema } from 'typeorm';

export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** How our client shows at a token endpoint who it is (RFC 7591, section 2). */
export type AuthMethod = (typeof authMethods)[number];

/** Our client as one health system, or one vendor's host, knows it. */
export interface Registration {
  registrationId: string;
  matches: 'fhir_base' | 'host';
  /** A FHIR base without the slash at its end; or a host, `host:port`, or `*.domain`. */
  pattern: string;
  clientId: string;
  clientSecretSealed: Buffer | null;
  authMethod: AuthMethod;
  /** Asked for instead of the usual scopes. */
  scopes: string | null;
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
    changedAt: { name: 'changed_at', type: 'timestamptz', updateDate: true },
  },
  uniques: [{ columns: ['matches', 'pattern'] }],
});
