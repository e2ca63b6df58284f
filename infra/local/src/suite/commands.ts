import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Owner } from '@tributary/postgres';

/** The service that runs each command of `npm run admin`. */
export const adminCommands: Record<string, Owner> = {
  client: 'auth',
  directory: 'search',
  registration: 'user-management',
  connection: 'user-management',
  'signing-keys': 'user-management',
  webhook: 'user-management',
  deletions: 'fhir-store',
  reindex: 'fhir-store',
  storage: 'fhir-store',
};

/**
 * Runs an operator's command of a service.
 * @param onStart receives the process id of the command
 * @returns what it printed
 * @throws Error with its output when it fails
 */
export async function runAdmin(
  repository: string,
  service: Owner,
  words: string[],
  environment: Record<string, string>,
  onStart: (pid: number) => void = () => undefined,
): Promise<string> {
  const child = spawn(process.execPath, [join(repository, 'services', service, 'dist', 'admin.js'), ...words], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) onStart(child.pid);
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  if (code !== 0) throw new Error(`${service} ${words.slice(0, 2).join(' ')} failed: ${(errors || output).trim()}`);
  return output;
}
