import type { AuthClient, ChangedUser, RecordsClient } from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import { deleteUserConnections } from '../connections/delete-connections';
import type { ConsentEvents } from '../consent/consent-events';
import type { DataKeys } from '../database/data-keys';
import type { User } from './user';
import { userNotFound } from './user-errors';
import type { Users } from './users';

interface RequestContext {
  requestId?: string | undefined;
}

export interface UserChangesDependencies {
  database: DataSource;
  keys: DataKeys;
  consentEvents: ConsentEvents;
  users: Users;
  auth: AuthClient;
  records: RecordsClient;
}

/**
 * Changes of a user that reach into other services. Each begins by storing a transitional state (`deactivating`,
 * `deleting`) and ends by storing the final one after all other steps are done. Every step is idempotent: a change that
 * failed half-way is finished by a repeated request or by the sweep.
 */
export class UserChanges {
  constructor(private readonly on: UserChangesDependencies) {}

  /** @throws HttpError 404 for an unknown user, 409 when another user of the client has the app_user_id */
  async change(
    clientId: string,
    serviceUserId: number,
    change: { appUserId?: string | undefined; active?: boolean | undefined },
    context: RequestContext = {},
  ): Promise<ChangedUser> {
    if (!(await this.on.users.update(clientId, serviceUserId, change))) throw userNotFound();
    const updated = await this.on.users.find(clientId, { serviceUserId });
    if (change.active === false && updated) await this.#finishDeactivation(updated, context);
    const finished = await this.on.users.find(clientId, { serviceUserId });
    if (!finished) throw userNotFound();
    return { success: true, ...(await this.on.users.entry(finished)) };
  }

  /** @throws HttpError 404 for an unknown user */
  async delete(clientId: string, serviceUserId: number, context: RequestContext = {}): Promise<void> {
    const user = await this.on.users.findIncludingDeleting(clientId, serviceUserId);
    if (!user) throw userNotFound();
    if (user.state !== 'deleting') await this.on.users.beginDeletion(serviceUserId);
    await this.#finishDeletion(serviceUserId, context);
  }

  /** Finishes a change that an earlier process or request began. */
  async finish(user: User): Promise<void> {
    if (user.state === 'deactivating') await this.#finishDeactivation(user);
    if (user.state === 'deleting') await this.#finishDeletion(user.serviceUserId);
  }

  /** Tokens are revoked before the state is stored: no inactive user has a working token. */
  async #finishDeactivation(
    user: Pick<User, 'serviceUserId' | 'changeNumber'>,
    context: RequestContext = {},
  ): Promise<void> {
    await this.on.auth.revokeTokensOfUser(user.serviceUserId, context);
    await this.on.users.finishDeactivation(user);
  }

  /** Whatever writes to the record ends before the record is destroyed: tokens, connections, record, user. */
  async #finishDeletion(serviceUserId: number, context: RequestContext = {}): Promise<void> {
    await this.on.auth.revokeTokensOfUser(serviceUserId, context);
    await deleteUserConnections(this.on.database, this.on.keys, this.on.consentEvents, serviceUserId);
    await this.on.records.destroy(serviceUserId, context);
    await this.on.users.remove(serviceUserId);
  }
}
