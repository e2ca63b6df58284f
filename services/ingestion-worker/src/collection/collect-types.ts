import type { Position } from '../positions/positions';
import { PageFailed } from './page-failed';

const typesAtOnce = 4;
/** A health system that does not answer for so many types in a row is not asked for the others. */
const mostSilent = 4;

/**
 * Collects types side by side; one that fails does not hold up the others. Anything else that goes wrong ends them all: it is thrown once nothing of
 * the collection is under way any more.
 * @param abort ends what is under way
 * @returns what failed
 */
export async function collectTypes(
  positions: readonly Position[],
  collect: (position: Position) => Promise<void>,
  abort: () => void,
): Promise<PageFailed[]> {
  const queue = [...positions];
  const failures: PageFailed[] = [];
  const fatal: unknown[] = [];
  let silent = 0;
  const work = async (): Promise<void> => {
    for (let position = queue.shift(); position && fatal.length === 0; position = queue.shift()) {
      if (silent >= mostSilent) {
        failures.push(
          new PageFailed(position.type, 'it was not asked for, as the health system did not answer', false, 0),
        );
        continue;
      }
      try {
        await collect(position);
        silent = 0;
      } catch (error) {
        if (!(error instanceof PageFailed)) {
          if (fatal.push(error) === 1) abort();
          continue;
        }
        failures.push(error);
        silent = error.status === 0 ? silent + 1 : 0;
      }
    }
  };
  await Promise.all(Array.from({ length: typesAtOnce }, work));
  if (fatal.length > 0) throw fatal[0];
  return failures;
}
