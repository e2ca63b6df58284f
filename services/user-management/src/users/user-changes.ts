import type { ChangedUser, UserWithCode } from '@tributary/contracts';
import { describeError } from '@tributary/service-kit';
import { deleteUserConnections } from '../connections/delete-connections';
import { repeatFullBatches } from '../database/changed-rows';
import type { Dependencies } from '../dependencies';
import type { User } from './user';
import { userAlreadyExists, userInactive, userNotFound } from './user-errors';
import type { UserSelection } from './users';

/*
 * Changes of a user that reach into other services. A deactivation or deletion begins by storing a transitional state
 * (`deactivating`, `deleting`) and ends by storing the final one after all other steps are done. Every step is
 * idempotent: a change that failed half-way is finished by a repeated request or by the sweep.
 */

/** Of unfinished changes that the sweep leases, and of those that it finishes at once. */
const batchSize = 50;
const maxConcurrent = 10;

interface RequestContext {
  requestId?: string | undefined;
}

/**
 * Creates a user, with an authorization code. The code is issued before the user is stored: nothing is created while
 * auth is unavailable, and a code of a user who is not stored after all is never returned.
 * @throws HttpError 409 when the client has a user with that app_user_id
 */
export async function createUser(
  { users, auth }: Dependencies,
  clientId: string,
  appUserId: string,
  context: RequestContext,
): Promise<UserWithCode> {
  if (await users.find(clientId, { appUserId })) throw userAlreadyExists();
  const serviceUserId = await users.nextId();
  const { code } = await auth.issueCode(clientId, serviceUserId, context);
  await users.insert(clientId, serviceUserId, appUserId);
  return { success: true, code, service_user_id: serviceUserId, app_user_id: appUserId, active: true };
}

/**
 * Issues another code for a user.
 * @throws HttpError 404 for an unknown user, 403 for one who is not active
 */
export async function issueCode(
  { users, auth }: Dependencies,
  clientId: string,
  selection: UserSelection,
  context: RequestContext,
): Promise<UserWithCode> {
  const { user, issued } = await issueForActive(users, clientId, selection, (serviceUserId) =>
    auth.issueCode(clientId, serviceUserId, context),
  );
  return { success: true, code: issued.code, ...(await users.entry(user)), active: true };
}

/**
 * Lets auth issue something for a user. The user is read again after that: a deactivation that began before then gets
 * nothing, and one that begins later revokes what was issued too.
 * @throws HttpError 404 for an unknown user, 403 for one who is not active
 */
export async function issueForActive<T>(
  users: Dependencies['users'],
  clientId: string,
  selection: UserSelection,
  issue: (serviceUserId: number) => Promise<T>,
): Promise<{ user: User; issued: T }> {
  const activeUser = async (): Promise<User> => {
    const user = await users.find(clientId, selection);
    if (!user) throw userNotFound();
    if (user.state !== 'active') throw userInactive();
    return user;
  };
  const { serviceUserId } = await activeUser();
  const issued = await issue(serviceUserId);
  const user = await activeUser();
  if (user.serviceUserId !== serviceUserId) throw userNotFound();
  return { user, issued };
}

/** @throws HttpError 404 for an unknown user, 409 when another user of the client has the app_user_id */
export async function changeUser(
  dependencies: Dependencies,
  clientId: string,
  serviceUserId: number,
  change: { appUserId?: string | undefined; active?: boolean | undefined },
  context: RequestContext,
): Promise<ChangedUser> {
  const { users } = dependencies;
  if (!(await users.update(clientId, serviceUserId, change))) throw userNotFound();
  const updated = await users.find(clientId, { serviceUserId });
  if (change.active === false && updated) await finishDeactivation(dependencies, updated, context);
  const finished = await users.find(clientId, { serviceUserId });
  if (!finished) throw userNotFound();
  return { success: true, ...(await users.entry(finished)) };
}

/** @throws HttpError 404 for an unknown user */
export async function deleteUser(
  dependencies: Dependencies,
  clientId: string,
  serviceUserId: number,
  context: RequestContext,
): Promise<void> {
  const user = await dependencies.users.findIncludingDeleting(clientId, serviceUserId);
  if (!user) throw userNotFound();
  if (user.state !== 'deleting') await dependencies.users.beginDeletion(serviceUserId);
  await finishDeletion(dependencies, serviceUserId, context);
}

/**
 * Finishes deactivations and deletions whose request could not: another service was unavailable, or this process ended.
 * The pause before the next attempt grows with each failure, so that changes that keep failing do not delay the others.
 */
export function finishUserChanges(dependencies: Dependencies): Promise<void> {
  return repeatFullBatches(batchSize, async () => {
    const unfinished = await dependencies.users.leaseUnfinished(batchSize);
    const remaining = unfinished.values();
    await Promise.all(Array.from({ length: maxConcurrent }, () => finishEach(remaining, dependencies)));
    return unfinished;
  });
}

async function finishEach(users: Iterable<User>, dependencies: Dependencies): Promise<void> {
  for (const user of users)
    try {
      await finishChange(dependencies, user);
    } catch (error) {
      const { serviceUserId, state } = user;
      const err = describeError(error);
      dependencies.log.warn({ serviceUserId, state, err }, 'a change of a user cannot be finished yet');
    }
}

/** Finishes a change that an earlier process or request began. */
async function finishChange(dependencies: Dependencies, user: User): Promise<void> {
  if (user.state === 'deactivating') await finishDeactivation(dependencies, user);
  if (user.state === 'deleting') await finishDeletion(dependencies, user.serviceUserId);
}

/** Tokens are revoked before the state is stored: no inactive user has a working token. */
async function finishDeactivation({ auth, users }: Dependencies, user: User, context?: RequestContext): Promise<void> {
  await auth.revokeTokensOfUser(user.serviceUserId, context);
  await users.finishDeactivation(user);
}

/** Whatever writes to the record ends before the record is destroyed: tokens, connections, record, user. */
async function finishDeletion(
  dependencies: Dependencies,
  serviceUserId: number,
  context?: RequestContext,
): Promise<void> {
  await dependencies.auth.revokeTokensOfUser(serviceUserId, context);
  await deleteUserConnections(dependencies, serviceUserId);
  await dependencies.records.destroy(serviceUserId, context);
  await dependencies.users.remove(serviceUserId);
}
