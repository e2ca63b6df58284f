import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { adminProgram, asksForHelp, joinedStatus } from './suite/commands';
import { findRunningSuite } from './suite/running';

const programName = 'npm run admin --';

/**
 * `npm run admin -- client create …`: runs an operator's command of a service. The database is the one that the
 * environment names, or that of the suite that runs on this machine. Without a command it prints the help.
 * @throws Error with instructions when there is no database
 */
export async function admin({
  repository,
  homeDirectory,
  words,
}: {
  repository: string;
  homeDirectory: string;
  words: string[];
}): Promise<void> {
  const program = adminProgram(programName, async (services, command) => {
    const running = process.env['DATABASE_URL'] ? undefined : findRunningSuite(join(homeDirectory, 'running.json'));
    if (!running && !asksForHelp(command)) assertDatabase(command[0] ?? '', services);
    const statuses: number[] = [];
    for (const service of services) {
      const child = spawn(process.execPath, [join(repository, 'services', service, 'dist', 'admin.js'), ...command], {
        env: { ...process.env, ...running?.environments[service], ADMIN_PROGRAM: programName },
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      });
      const { status, hasBegun } = await ended(child);
      statuses.push(status);
      // The other services would print the same help, or the same error.
      if (!hasBegun) break;
    }
    process.exitCode = joinedStatus(statuses);
  });
  await program.parseAsync(words.length === 0 ? ['--help'] : words, { from: 'user' });
}

/** @throws Error when the environment names no database, or one for the commands of several services */
function assertDatabase(command: string, services: readonly string[]): void {
  if (!process.env['DATABASE_URL'])
    throw new Error(
      'the suite is not running here: start it with npm start, or set DATABASE_URL and the other variables of the service',
    );
  if (services.length > 1)
    throw new Error(
      `the suite is not running here, and ${command} runs on the databases of ${services.join(', ')}: run npm run admin in the folder of each`,
    );
}

/** Waits for the end of a command. It sends a message when there is more to do than to print help or an error. */
async function ended(child: ChildProcess): Promise<{ status: number; hasBegun: boolean }> {
  let hasBegun = false;
  child.on('message', () => (hasBegun = true));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status: status ?? 1, hasBegun };
}
