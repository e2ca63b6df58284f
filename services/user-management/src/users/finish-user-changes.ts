import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { User } from './user';
import type { UserChanges } from './user-changes';
import type { Users } from './users';

const takenAtOnce = 50;
const finishedAtOnce = 10;

/**
 * Finishes deactivations and deletions that a call began and could not finish: another service was away, or this one ended. Those that fail
 * again are left alone for growing times, so that they do not keep others from being finished.
 */
export async function finishUserChanges(users: Users, changes: UserChanges, log: Logger): Promise<void> {
  for (;;) {
    const taken = await users.takeUnfinished(takenAtOnce);
    const waiting = taken.values();
    await Promise.all(Array.from({ length: finishedAtOnce }, () => finishEach(waiting, changes, log)));
    if (taken.length < takenAtOnce) return;
  }
}

async function finishEach(users: Iterable<User>, changes: UserChanges, log: Logger): Promise<void> {
  for (const user of users) {
    try {
      await changes.finish(user);
    } catch (error) {
      log.warn(
        { serviceUserId: user.serviceUserId, state: user.state, err: describeError(error) },
        'a change of a user cannot be finished yet',
      );
    }
  }
}
