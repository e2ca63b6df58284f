import { EntitySchema } from 'typeorm';
import { bigintColumn } from '../database/bigint-column';

/**
 * The life of a user. `deactivating` and `deleting` are steps begun and not yet finished: such a user gets no code any more,
 * and the step is finished by the same call, by the call repeated, or by the sweep (`unfinished-changes.ts`).
 */
export type UserState = 'active' | 'deactivating' | 'inactive' | 'deleting';

export interface User {
  serviceUserId: number;
  clientId: string;
  state: UserState;
  /** Null once the user is being deleted. */
  appUserIdSealed: Buffer | null;
  appUserIdBlind: Buffer | null;
  /** Counts the changes: what a step of one change does must not apply to a later one. */
  changeNumber: number;
  /** How often the sweep has taken the change, and when it may again. */
  changeAttempts: number;
  changeRetryAt: Date | null;
  createdAt: Date;
  changedAt: Date;
}

export const userEntity = new EntitySchema<User>({
  name: 'ServiceUser',
  tableName: 'service_user',
  columns: {
    serviceUserId: { ...bigintColumn, name: 'service_user_id', primary: true },
    clientId: { name: 'client_id', type: 'text' },
    state: { type: 'text' },
    appUserIdSealed: { name: 'app_user_id_sealed', type: 'bytea', nullable: true },
    appUserIdBlind: { name: 'app_user_id_blind', type: 'bytea', nullable: true },
    changeNumber: { name: 'change_number', type: 'integer', default: 0 },
    changeAttempts: { name: 'change_attempts', type: 'integer', default: 0 },
    changeRetryAt: { name: 'change_retry_at', type: 'timestamptz', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', createDate: true },
    changedAt: { name: 'changed_at', type: 'timestamptz', updateDate: true },
  },
});

/**
 * Whether the user is shown as active. One who is being deactivated still is: tokens may work until they are revoked, and nobody
 * who is shown as inactive holds a token that works.
 */
export function isShownActive(state: UserState): boolean {
  return state === 'active' || state === 'deactivating';
}
