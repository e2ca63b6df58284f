import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What a program in `test/clients` answers: its result, or the error that the client library reports. */
export interface ClientOutcome {
  result?: Record<string, Record<string, unknown> | undefined>;
  failure?: { name: string; error?: string; error_description?: string };
}

/**
 * Runs an OAuth client library from npm, unmodified, in a process of its own. The libraries are ES modules, which jest
 * cannot load.
 */
export async function runPublicClient(library: string, settings: object): Promise<ClientOutcome> {
  const child = fork(join(__dirname, 'clients', `${library}.mjs`), { execArgv: [] });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${library} ended with ${code}`)));
  child.send(settings);
  const [outcome] = (await Promise.race([once(child, 'message'), ended])) as [ClientOutcome];
  return outcome;
}
