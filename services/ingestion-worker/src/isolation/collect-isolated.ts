import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { CollectionEnd } from '../collection/outcome/collection-outcome';
import { type IsolatedMessage, type IsolatedWork, toError } from './messages';

/** The process of an isolated collection exited before the collection ended. */
export class IsolatedProcessCrashed extends Error {
  constructor() {
    super('the process of the collection crashed');
    this.name = 'IsolatedProcessCrashed';
  }
}

/**
 * Runs `collect` in a child process of its own, so that a crash takes no other collection with it.
 * @throws IsolatedProcessCrashed when the process exits by itself after the collection has started; otherwise what
 * `collect` throws
 */
export async function collectIsolated(work: IsolatedWork, signal: AbortSignal): Promise<CollectionEnd> {
  signal.throwIfAborted();
  const child = fork(require.resolve('./isolated-process'), [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const kill = (): unknown => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    let hasStarted = false;
    let outcome: IsolatedMessage | undefined;
    child.on('message', (message: IsolatedMessage) => {
      if ('hasStarted' in message) hasStarted = true;
      else outcome = message;
    });
    child.send(work, () => undefined);
    await once(child, 'exit');
    // The IPC channel may still deliver messages after the exit.
    if (child.connected) await once(child, 'disconnect');
    signal.throwIfAborted();
    if (outcome && 'end' in outcome) return outcome.end;
    if (outcome && 'error' in outcome) throw toError(outcome.error, outcome.message);
    throw hasStarted ? new IsolatedProcessCrashed() : new Error('the process of a collection did not start');
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}
