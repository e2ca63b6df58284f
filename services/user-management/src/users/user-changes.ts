import type { AuthClient, ChangedUser, RecordsClient } from '@tributary/contracts';
import type { User } from './user';
import { userNotFound } from './user-errors';
import type { Users } from './users';

interface Context {
  requestId?: string | undefined;
}

/** Forgets everything this service keeps of a user's connections. */
export interface ConnectionsOfUser {
  forgetAll(serviceUserId: number): Promise<void>;
}

export interface UserChangesDependencies {
  users: Users;
  auth: AuthClient;
  records: RecordsClient;
  connections: ConnectionsOfUser;
}

/**
 * Changes that reach into other services. Each begins with a state of its own in the user's row and ends with a last step that
 * only follows when all others are done; each step can be repeated, so that a call that failed half-way is finished by calling again
 * or by the sweep.
 */
export class UserChanges {
  constructor(private readonly on: UserChangesDependencies) {}

  /** @throws HttpError 404 for an unknown user, 409 when another user has the app_user_id */
  async change(
    clientId: string,
    serviceUserId: number,
    change: { appUserId?: string | undefined; active?: boolean | undefined },
    context: Context = {},
  ): Promise<ChangedUser> {
    if (!(await this.on.users.update(clientId, serviceUserId, change))) throw userNotFound();
    const begun = await this.on.users.find(clientId, { serviceUserId });
    if (change.active === false && begun) await this.finishDeactivation(begun, context);
    const changed = await this.on.users.find(clientId, { serviceUserId });
    if (!changed) throw userNotFound();
    return { success: true, ...(await this.on.users.entry(changed)) };
  }

  /** Tokens first, then the state: nobody is inactive whose tokens still work. */
  async finishDeactivation(user: Pick<User, 'serviceUserId' | 'changeNumber'>, context: Context = {}): Promise<void> {
    await this.on.auth.revokeTokensOfUser(user.serviceUserId, context);
    await this.on.users.moveOn(user, 'deactivating', 'inactive');
  }

  /** @throws HttpError 404 for an unknown user */
  async delete(clientId: string, serviceUserId: number, context: Context = {}): Promise<void> {
    const user = await this.on.users.findEvenDeleting(clientId, serviceUserId);
    if (!user) throw userNotFound();
    if (user.state !== 'deleting') await this.on.users.beginDeletion(serviceUserId);
    await this.finishDeletion(serviceUserId, context);
  }

  /** What feeds the record ends before the record does: tokens, then connections, then the record, then the user. */
  async finishDeletion(serviceUserId: number, context: Context = {}): Promise<void> {
    await this.on.auth.revokeTokensOfUser(serviceUserId, context);
    await this.on.connections.forgetAll(serviceUserId);
    await this.on.records.destroy(serviceUserId, context);
    await this.on.users.remove(serviceUserId);
  }

  /** Finishes what an earlier process or call began. */
  async finish(user: User): Promise<void> {
    if (user.state === 'deactivating') await this.finishDeactivation(user);
    if (user.state === 'deleting') await this.finishDeletion(user.serviceUserId);
  }
}
