import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { User } from './user';
import type { UserChanges } from './user-changes';
import type { Users } from './users';

const batchSize = 50;
const maxConcurrent = 10;

/**
 * Finishes deactivations and deletions whose request could not: another service was unavailable, or this process ended.
 * The pause before the next attempt grows with each failure, so that changes that keep failing do not delay the others.
 */
export async function finishUserChanges(users: Users, changes: UserChanges, log: Logger): Promise<void> {
  for (;;) {
    const unfinished = await users.leaseUnfinished(batchSize);
    const remaining = unfinished.values();
    await Promise.all(Array.from({ length: maxConcurrent }, () => finishEach(remaining, changes, log)));
    if (unfinished.length < batchSize) return;
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
