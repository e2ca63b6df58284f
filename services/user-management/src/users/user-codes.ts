import type { AuthClient, UserWithCode } from '@tributary/contracts';
import { userAlreadyExists, userInactive, userNotFound } from './user-errors';
import type { Users } from './users';

interface Context {
  requestId: string;
}

/** Creates users and gives them authorization codes. */
export class UserCodes {
  constructor(
    private readonly users: Users,
    private readonly auth: AuthClient,
  ) {}

  /**
   * Creates a user. The code is asked for first, under the new user's id: when auth is away nothing has been created, and a code
   * of a user who is not created after all is shown to nobody.
   */
  async createUser(clientId: string, appUserId: string, context: Context): Promise<UserWithCode> {
    if (await this.users.find(clientId, { appUserId })) throw userAlreadyExists();
    const serviceUserId = await this.users.nextId();
    const { code } = await this.auth.issueCode(clientId, serviceUserId, context);
    await this.users.insert(clientId, serviceUserId, appUserId);
    return { success: true, code, service_user_id: serviceUserId, app_user_id: appUserId, active: true };
  }

  /**
   * A new code for a user. The user is looked at again once the code is made: one whose deactivation began before that gets
   * nothing, and a deactivation that begins after that revokes this code too.
   */
  async newCode(clientId: string, appUserId: string, context: Context): Promise<UserWithCode> {
    const serviceUserId = await this.#activeUser(clientId, appUserId);
    const { code } = await this.auth.issueCode(clientId, serviceUserId, context);
    if ((await this.#activeUser(clientId, appUserId)) !== serviceUserId) throw userNotFound();
    return { success: true, code, service_user_id: serviceUserId, app_user_id: appUserId, active: true };
  }

  async #activeUser(clientId: string, appUserId: string): Promise<number> {
    const user = await this.users.find(clientId, { appUserId });
    if (!user) throw userNotFound();
    if (user.state !== 'active') throw userInactive();
    return user.serviceUserId;
  }
}
