import { EntitySchema } from 'typeorm';

export const signingAlgorithms = ['RS384', 'ES384'] as const;

/** The algorithms SMART App Launch 2 asks of clients with a key. */
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** A key pair that shows at token endpoints who our client is. */
export interface SigningKey {
  kid: string;
  algorithm: SigningAlgorithm;
  publicJwk: Record<string, unknown>;
  privateKeySealed: Buffer;
  /** It is published before it signs: health systems keep our key set for a while. */
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
