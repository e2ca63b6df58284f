import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';

/** The time limit of a lookup and of the wait for its turn together, in milliseconds. */
const lookupMs = 10_000;
/**
 * The resolver of the operating system cannot be interrupted: a lookup without a response occupies a thread of Node's
 * pool beyond its time limit, and the file system and zlib use the same threads.
 */
const maxLookups = 4;

const waiting = new Set<() => void>();
let running = 0;

/**
 * All addresses of a name, as `dns.lookup` finds them. The error has the code ETIMEDOUT after ten seconds. At most four
 * lookups run at once; one whose time has passed while it waited is not begun.
 */
export function boundedLookup(
  hostname: string,
  options: LookupOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
): void {
  let isOver = false;
  const end = (error: Error | null, addresses: LookupAddress[] = []): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    callback(error, addresses);
  };
  const begin = (): void => {
    running++;
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      running--;
      beginNext();
      end(error, addresses);
    });
  };
  const timer = setTimeout(() => {
    waiting.delete(begin);
    end(Object.assign(new Error('the name was not resolved in time'), { code: 'ETIMEDOUT' }));
  }, lookupMs);
  waiting.add(begin);
  beginNext();
}

function beginNext(): void {
  const [next] = waiting;
  if (next === undefined || running >= maxLookups) return;
  waiting.delete(next);
  next();
}
