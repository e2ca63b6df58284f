import type { CollectionCheckpoint } from '../checkpoints/checkpoints';
import { TypeFailed } from './type-failed';

const concurrentTypes = 4;
/** After this many types in a row without a response, the remaining types are not requested. */
const maxUnreachableTypes = 4;

/**
 * Collects several types concurrently. A `TypeFailed` does not affect the other types. Any other error aborts them all,
 * and is thrown once nothing is in progress any more.
 * @param abort cancels what is in progress
 * @returns the types that failed
 */
export async function collectTypes(
  checkpoints: readonly CollectionCheckpoint[],
  collect: (checkpoint: CollectionCheckpoint) => Promise<void>,
  abort: () => void,
): Promise<TypeFailed[]> {
  const queue = [...checkpoints];
  const failures: TypeFailed[] = [];
  const fatal: unknown[] = [];
  let unreachable = 0;
  const work = async (): Promise<void> => {
    for (let checkpoint = queue.shift(); checkpoint && fatal.length === 0; checkpoint = queue.shift()) {
      if (unreachable >= maxUnreachableTypes) {
        failures.push(
          new TypeFailed(
            checkpoint.type,
            'no_response',
            'it was not asked for, as the health system did not answer',
            false,
            0,
          ),
        );
        continue;
      }
      try {
        await collect(checkpoint);
        unreachable = 0;
      } catch (error) {
        if (!(error instanceof TypeFailed)) {
          if (fatal.push(error) === 1) abort();
          continue;
        }
        failures.push(error);
        unreachable = error.status === 0 ? unreachable + 1 : 0;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrentTypes }, work));
  if (fatal.length > 0) throw fatal[0];
  return failures;
}
