import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { CollectionEnd } from '../collection/collect';
import { type IsolatedAnswer, type IsolatedWork, toError } from './messages';

/** The process of a collection ended before the collection did. */
export class IsolatedProcessCrashed extends Error {
  constructor() {
    super('the process of the collection crashed');
    this.name = 'IsolatedProcessCrashed';
  }
}

/**
 * Collects in a process that has nothing else to do.
 * @throws IsolatedProcessCrashed when the process ends on its own while it collects; otherwise what `collect` throws
 */
export async function collectIsolated(work: IsolatedWork, signal: AbortSignal): Promise<CollectionEnd> {
  signal.throwIfAborted();
  const child = fork(require.resolve('./isolated-process'), [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const kill = (): unknown => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    let hasBegun = false;
    let last: IsolatedAnswer | undefined;
    child.on('message', (answer: IsolatedAnswer) => {
      if ('begun' in answer) hasBegun = true;
      else last = answer;
    });
    child.send(work, () => undefined);
    await once(child, 'exit');
    // The last answer may still be on its way through the channel.
    if (child.connected) await once(child, 'disconnect');
    signal.throwIfAborted();
    if (last && 'end' in last) return last.end;
    if (last && 'thrown' in last) throw toError(last.thrown, last.message);
    throw hasBegun ? new IsolatedProcessCrashed() : new Error('the process of a collection did not start');
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}
