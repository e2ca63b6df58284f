import type { SigningAlgorithm } from '@tributary/contracts';
import { EntitySchema } from 'typeorm';

/** A key pair with which our client authenticates at token endpoints (`private_key_jwt`). */
export interface SigningKey {
  kid: string;
  algorithm: SigningAlgorithm;
  publicJwk: Record<string, unknown>;
  /** PKCS #8 in DER, sealed. */
  privateKeySealed: Buffer;
  /** Later than its publication, as health systems cache our JWK Set. */
  signsFrom: Date;
  createdAt: Date;
}

export const signingKeyEntity = new EntitySchema<SigningKey>({
  name: 'SigningKey',
  tableName: 'signing_key',
  columns: {
    kid: { type: 'text', primary: true },
    algorithm: { type: 'text' },
    publicJwk: { name: 'public_jwk', type: 'jsonb' },
    privateKeySealed: { name: 'private_key_sealed', type: 'bytea' },
    signsFrom: { name: 'signs_from', type: 'timestamptz' },
    createdAt: { name: 'created_at', type: 'timestamptz' },
  },
});
