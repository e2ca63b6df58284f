import { fork } from 'node:child_process';
import { once } from 'node:events';

/** The result of a program that uses a client library, or the error that the library reports. */
export interface ClientOutcome {
  result?: Record<string, Record<string, unknown> | undefined>;
  failure?: { name: string; error?: string; error_description?: string };
}

/**
 * Runs a program that uses an unmodified client library from npm, in a process of its own: the libraries are ES
 * modules, which jest cannot load. The program gets the settings as its first message, and sends its outcome as one
 * message.
 * @throws Error when the program ends without an outcome
 */
export async function runClientProgram(file: string, settings: object): Promise<ClientOutcome> {
  const child = fork(file, { execArgv: [] });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ended with ${code}`)));
  child.send(settings);
  const [outcome] = (await Promise.race([once(child, 'message'), ended])) as [ClientOutcome];
  return outcome;
}
