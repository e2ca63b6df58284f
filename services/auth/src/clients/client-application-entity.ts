import { EntitySchema } from 'typeorm';
import type { ClientMode } from '@tributary/contracts';
import type { JsonWebKeySet } from '../client-authentication/key-set';

/** A row of `client_application`. */
export interface ClientApplicationRow {
  client_id: string;
  name: string;
  mode: ClientMode;
  secret_sha256: Buffer;
  /** The secret before, which works until `previous_secret_expires_at`. Null: none. */
  previous_secret_sha256: Buffer | null;
  previous_secret_expires_at: Date | null;
  redirect_uris: string[];
  jwks: JsonWebKeySet | null;
  jwks_url: string | null;
  /** Null: all. */
  requested_types: string[] | null;
  /** Null: without an end. */
  consent_days: number | null;
  people: 'one' | 'several';
  /** A data: URL, which can be long: read where it is needed only. Null: none. */
  logo?: string | null;
  has_logo: boolean;
  /** Null: none. */
  frame_origins: string[] | null;
  /** The organisation that manages it in the console. Null: none. */
  organisation_id: string | null;
  created_at: Date;
  /** Null unless the operator has disabled the client. */
  disabled_at: Date | null;
  /** When the deletion of the client begins; it is disabled until then. Null: it is not to be deleted. */
  deletion_at: Date | null;
}

export const clientApplicationEntity = new EntitySchema<ClientApplicationRow>({
  name: 'client_application',
  columns: {
    client_id: { type: 'text', primary: true },
    name: { type: 'text' },
    mode: { type: 'text' },
    secret_sha256: { type: 'bytea' },
    previous_secret_sha256: { type: 'bytea', nullable: true },
    previous_secret_expires_at: { type: 'timestamptz', nullable: true },
    redirect_uris: { type: 'text', array: true },
    jwks: { type: 'jsonb', nullable: true },
    jwks_url: { type: 'text', nullable: true },
    requested_types: { type: 'text', array: true, nullable: true },
    consent_days: { type: 'integer', nullable: true },
    people: { type: 'text', default: 'one' },
    logo: { type: 'text', nullable: true, select: false },
    has_logo: { type: 'boolean', virtualProperty: true, query: (alias) => `SELECT ${alias}.logo IS NOT NULL` },
    frame_origins: { type: 'text', array: true, nullable: true },
    organisation_id: { type: 'uuid', nullable: true },
    created_at: { type: 'timestamptz', createDate: true },
    disabled_at: { type: 'timestamptz', nullable: true },
    deletion_at: { type: 'timestamptz', nullable: true },
  },
});
