import type { CollectionCheckpoint } from '../checkpoints/checkpoint';
import { TypeFailed } from './type-failed';

const concurrentTypes = 4;
/** After this many types in a row without a response, the health system is checked. */
const maxUnreachableTypes = 4;

export interface TypesCollection {
  collect(checkpoint: CollectionCheckpoint): Promise<void>;
  /** Whether the health system still responds to other searches than those of these types. */
  responds(failures: readonly TypeFailed[]): Promise<boolean>;
  /** Cancels what is in progress. */
  abort(): void;
}

/**
 * Collects several types concurrently. A `TypeFailed` does not affect the other types, unless the health system does not
 * respond to others either: then the remaining types are not requested. Any other error aborts them all, and is thrown
 * once nothing is in progress any more.
 * @returns the types that failed
 */
export async function collectTypes(
  checkpoints: readonly CollectionCheckpoint[],
  { collect, responds, abort }: TypesCollection,
): Promise<TypeFailed[]> {
  const queue = [...checkpoints];
  const failures: TypeFailed[] = [];
  const fatal: unknown[] = [];
  let unreachable = 0;
  const attempt = async (checkpoint: CollectionCheckpoint): Promise<void> => {
    try {
      await collect(checkpoint);
      unreachable = 0;
    } catch (error) {
      if (!(error instanceof TypeFailed)) throw error;
      failures.push(error);
      unreachable = error.status === 0 ? unreachable + 1 : 0;
      if (unreachable < maxUnreachableTypes) return;
      unreachable = 0;
      if (!(await responds(failures))) queue.length = 0;
    }
  };
  const work = async (): Promise<void> => {
    for (let checkpoint = queue.shift(); checkpoint && fatal.length === 0; checkpoint = queue.shift())
      await attempt(checkpoint).catch((error: unknown) => {
        if (fatal.push(error) === 1) abort();
      });
  };
  await Promise.all(Array.from({ length: concurrentTypes }, work));
  if (fatal.length > 0) throw fatal[0];
  return failures;
}
