import { describeError } from '@tributary/service-kit';
import { repeatFullBatches } from '../database/changed-rows';
import type { Dependencies } from '../dependencies';
import type { User } from './user';
import { finishChange } from './user-changes';

const batchSize = 50;
const maxConcurrent = 10;

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
