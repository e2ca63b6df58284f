import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { UserChanges } from './user-changes';
import type { Users } from './users';

const leftAloneMs = 60_000;
const atOnce = 50;

/** Finishes deactivations and deletions that a call began and could not finish: another service was away, or this one ended. */
export async function finishUserChanges(users: Users, changes: UserChanges, log: Logger, now = new Date()): Promise<number> {
  const unfinished = await users.unfinished(new Date(now.getTime() - leftAloneMs), atOnce);
  let finished = 0;
  for (const user of unfinished) {
    try {
      await changes.finish(user);
      finished++;
    } catch (error) {
      log.warn({ serviceUserId: user.serviceUserId, state: user.state, err: describeError(error) }, 'a change of a user cannot be finished yet');
    }
  }
  return finished;
}
