import { EntitySchema } from 'typeorm';
import { bigintColumn } from '../database/bigint-column';

/**
 * The state of a user. `deactivating` and `deleting` are changes that have begun and reach into other services: such a
 * user gets no authorization code, and the change is finished by the same request, by a repeated request, or by the
 * sweep (`finishUserChanges`).
 */
export type UserState = 'active' | 'deactivating' | 'inactive' | 'deleting';

export interface User {
  serviceUserId: number;
  clientId: string;
  state: UserState;
  /**
   * The client's identifier of the user, sealed under the data key of the client. Null while the user is being deleted.
   */
  appUserIdSealed: Buffer | null;
  /** Unique per client. Null while the user is being deleted. */
  appUserIdBlindIndex: Buffer | null;
  /** The number of changes so far: the last step of a change does not apply when a later change has begun. */
  changeNumber: number;
  /** How often the sweep has tried to finish the change. */
  changeAttempts: number;
  changeRetryAt: Date | null;
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
    appUserIdBlindIndex: { name: 'app_user_id_blind_index', type: 'bytea', nullable: true },
    changeNumber: { name: 'change_number', type: 'integer', default: 0 },
    changeAttempts: { name: 'change_attempts', type: 'integer', default: 0 },
    changeRetryAt: { name: 'change_retry_at', type: 'timestamptz', nullable: true },
    changedAt: { name: 'changed_at', type: 'timestamptz', updateDate: true },
  },
});

/**
 * The value of `active` in responses. It stays true during a deactivation: tokens may work until auth has revoked them,
 * and a user reported as inactive has no working token.
 */
export function isReportedActive(state: UserState): boolean {
  return state === 'active' || state === 'deactivating';
}
