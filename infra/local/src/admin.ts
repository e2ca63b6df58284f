import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { adminCommands, adminHelp, joinedStatus } from './suite/commands';
import { findRunningSuite } from './suite/running';

/**
 * `npm run admin -- client create …`: runs an operator's command of a service. The database is the one that the
 * environment names, or that of the suite that runs on this machine. Without a command it prints the help.
 * @throws Error with instructions when there is no such command or no database
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
  const [word = '--help'] = words;
  if (['--help', '-h', 'help'].includes(word)) return void process.stdout.write(adminHelp());
  if (!Object.hasOwn(adminCommands, word))
    throw new Error(`there is no such command; npm run admin -- --help lists ${Object.keys(adminCommands).join(', ')}`);
  const running = process.env['DATABASE_URL'] ? undefined : findRunningSuite(join(homeDirectory, 'running.json'));
  if (!running && !process.env['DATABASE_URL'])
    throw new Error(
      'the suite is not running here: start it with npm start, or set DATABASE_URL and the other variables of the service',
    );
  const { services } = adminCommands[word]!;
  if (!running && services.length > 1)
    throw new Error(
      `the suite is not running here, and ${word} runs on the databases of ${services.join(', ')}: run npm run admin in the folder of each`,
    );
  const statuses: number[] = [];
  for (const service of services) {
    const child = spawn(process.execPath, [join(repository, 'services', service, 'dist', 'admin.js'), ...words], {
      env: { ...process.env, ...running?.environments[service] },
      stdio: 'inherit',
    });
    const [status] = (await once(child, 'exit')) as [number | null];
    statuses.push(status ?? 1);
  }
  process.exitCode = joinedStatus(statuses);
}
