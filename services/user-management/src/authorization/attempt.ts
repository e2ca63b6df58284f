import { EntitySchema } from 'typeorm';
import { bigintColumn } from '../database/bigint-column';

/** An authorization under way: a user is at the health system, and comes back with its state. */
export interface AttemptRow {
  stateHash: Buffer;
  browserHash: Buffer;
  serviceUserId: number;
  /** The journey, the leg and the PKCE verifier. */
  sealed: Buffer;
  expiresAt: Date;
}

export const attemptEntity = new EntitySchema<AttemptRow>({
  name: 'AuthorizationAttempt',
  tableName: 'authorization_attempt',
  columns: {
    stateHash: { name: 'state_hash', type: 'bytea', primary: true },
    browserHash: { name: 'browser_hash', type: 'bytea' },
    serviceUserId: { ...bigintColumn, name: 'service_user_id' },
    sealed: { type: 'bytea' },
    expiresAt: { name: 'expires_at', type: 'timestamptz' },
  },
});
