import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { StartCommand } from './start';
import { adminCommands } from './suite/commands';

const repository = resolve(__dirname, '../../..');
const homeDirectory = resolve(process.env['TRIBUTARY_HOME'] ?? join(repository, '.tributary'));

// Each command loads its own code alone: what `start` needs takes longer to load than most operator's commands to run.
const program = new Command('tributary').description('Runs and operates the suite on this machine.');

program
  .command('start')
  .description('start everything and run until Ctrl-C')
  .option('--fresh', 'wipe all data first', false)
  .option(
    '--json',
    'print one line of JSON when all is ready (npm prints lines of its own before it, unless started by npm start --silent -- --json)',
    false,
  )
  .option('--tls', 'use TLS for everything, with certificates of a temporary authority', false)
  .addOption(
    new Option('--records <dir>', 'let the sandbox serve the records found in this folder').argParser(folderArgument),
  )
  .addOption(
    new Option('--replicas <number>', 'number of processes of each service behind the gateway')
      .argParser(replicasArgument)
      .default(1),
  )
  .addOption(
    new Option('--redis <mode>', 'servers of Redis: one, a primary with replicas and sentinels, or a cluster')
      .choices(['server', 'sentinel', 'cluster'])
      .default('server'),
  )
  .option('--object-storage', 'keep attachments above 1 MB in an object storage, and not in PostgreSQL', false)
  .addOption(
    new Option('--pgbouncer', 'let the services reach PostgreSQL through PgBouncer in transaction mode')
      .conflicts('tls')
      .default(false),
  )
  .addOption(
    new Option('--read-replica', 'let exports read records from a streaming replica of PostgreSQL')
      .conflicts('tls')
      .default(false),
  )
  .action(async (options: Omit<StartCommand, 'repository' | 'homeDirectory'>) => {
    const { start } = await import('./start.js');
    await start({ repository, homeDirectory, ...options });
  });

program
  .command('admin')
  .description(`operator's commands: ${Object.keys(adminCommands).join(', ')}`)
  .allowUnknownOption()
  .allowExcessArguments()
  .helpOption(false)
  .argument('[words...]')
  .action(async (words: string[]) => {
    const { admin } = await import('./admin.js');
    await admin({ repository, homeDirectory, words });
  });

program
  .command('demo')
  .description('the whole journey of a user, each step shown as the HTTP call it is')
  .action(async () => {
    const { demo } = await import('./demo/demo.js');
    await demo({ repository, homeDirectory });
  });

/** @param folder relative to where npm was called @throws InvalidArgumentError */
function folderArgument(folder: string): string {
  const path = resolve(process.env['INIT_CWD'] ?? process.cwd(), folder);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new InvalidArgumentError('There is no such folder.');
  return path;
}

/** @throws InvalidArgumentError */
function replicasArgument(text: string): number {
  if (!/^[1-9]$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 9.');
  return Number(text);
}

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : 'unknown failure'}\n`);
  process.exitCode = 1;
});
