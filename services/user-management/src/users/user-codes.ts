import type { AuthClient, UserWithCode } from '@tributary/contracts';
import { userAlreadyExists, userInactive, userNotFound } from './user-errors';
import type { User } from './user';
import type { UserSelection, Users } from './users';

interface RequestContext {
  requestId: string;
}

/** Creates users, and issues authorization codes for them. */
export class UserCodes {
  constructor(
    private readonly users: Users,
    private readonly auth: AuthClient,
  ) {}

  /**
   * Creates a user. The code is issued before the user is stored: nothing is created while auth is unavailable, and a
   * code of a user who is not stored after all is never returned.
   * @throws HttpError 409 when the client has a user with that app_user_id
   */
  async createUser(clientId: string, appUserId: string, context: RequestContext): Promise<UserWithCode> {
    if (await this.users.find(clientId, { appUserId })) throw userAlreadyExists();
    const serviceUserId = await this.users.nextId();
    const { code } = await this.auth.issueCode(clientId, serviceUserId, context);
    await this.users.insert(clientId, serviceUserId, appUserId);
    return { success: true, code, service_user_id: serviceUserId, app_user_id: appUserId, active: true };
  }

  /**
   * Issues another code for a user. The user is read again after the code is issued: a deactivation that began before
   * then gets no code, and one that begins later revokes this code too.
   * @throws HttpError 404 for an unknown user, 403 for one who is not active
   */
  async newCode(clientId: string, selection: UserSelection, context: RequestContext): Promise<UserWithCode> {
    const { serviceUserId } = await this.#activeUser(clientId, selection);
    const { code } = await this.auth.issueCode(clientId, serviceUserId, context);
    const user = await this.#activeUser(clientId, selection);
    if (user.serviceUserId !== serviceUserId) throw userNotFound();
    return { success: true, code, ...(await this.users.entry(user)), active: true };
  }

  async #activeUser(clientId: string, selection: UserSelection): Promise<User> {
    const user = await this.users.find(clientId, selection);
    if (!user) throw userNotFound();
    if (user.state !== 'active') throw userInactive();
    return user;
  }
}
