import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { DatabaseUser } from '@tributary/postgres';
import { Command } from 'commander';

/** The commands of `npm run admin`: the services that run each, one after the other, and what it does. */
export const adminCommands: Record<string, { services: readonly DatabaseUser[]; does: string }> = {
  client: {
    services: ['auth'],
    does: 'create, list, disable and enable client applications, change their secrets and key sets',
  },
  token: { services: ['auth'], does: 'revoke the codes and tokens of a client or of a user' },
  organisation: { services: ['console'], does: 'list the organisations of developers, and allow them live clients' },
  account: {
    services: ['console'],
    does: 'list, disable and enable the accounts of developers, and reset their second factors',
  },
  directory: { services: ['search'], does: 'load, verify and list the directory of health systems' },
  registration: { services: ['user-management'], does: 'set, test and list the registrations at health systems' },
  connection: {
    services: ['user-management'],
    does: 'show what connections wait for, their outcomes, and one of them; collect it again',
  },
  'health-system': { services: ['user-management'], does: 'pause and resume all requests to a health system' },
  consent: { services: ['user-management'], does: 'show the consents of users who are deleted' },
  'signing-keys': { services: ['user-management'], does: 'rotate the keys that sign at health systems' },
  webhook: { services: ['user-management'], does: 'receive webhooks on this machine, or send samples' },
  deletions: { services: ['fhir-store'], does: 'export and replay the list of deleted records' },
  keys: {
    services: ['fhir-store', 'user-management', 'ingestion-worker', 'console'],
    does: 'show and rotate the key-encryption key',
  },
  record: { services: ['fhir-store'], does: 'verify the blocks, the index and the history of a record' },
  reindex: { services: ['fhir-store'], does: 'show how many records wait for a new index' },
  storage: { services: ['fhir-store'], does: 'show and change the partitions of the records' },
  schema: {
    services: ['auth', 'search', 'user-management', 'fhir-store', 'analytics-export', 'ingestion-worker', 'console'],
    does: 'bring the tables of the services to the version of this software',
  },
  audit: { services: ['audit-log'], does: 'verify and export the audit log, account for disclosures' },
};

/**
 * The exit status of a command from those of its services: each runs it on its own database. 2 means that a service
 * does not have what the command names; it is an error when none has it.
 */
export function joinedStatus(statuses: readonly number[]): number {
  if (statuses.length === 1) return statuses[0] as number;
  if (statuses.some((status) => status !== 0 && status !== 2)) return 1;
  return statuses.includes(0) ? 0 : 1;
}

/**
 * The program of the operator's commands of all services. Without a command it prints the help.
 * @param name what an operator types before a command
 * @param run lets these services run the command, one after the other
 */
export function adminProgram(
  name: string,
  run: (services: readonly DatabaseUser[], words: string[]) => Promise<void>,
): Command {
  const program = new Command(name)
    .usage('COMMAND …')
    .description("The operator's commands. COMMAND --help lists what each can do.")
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .helpCommand(false);
  for (const [word, { services, does }] of Object.entries(adminCommands))
    program
      .command(word)
      .description(does)
      .helpOption(false)
      .allowUnknownOption()
      .argument('[words...]')
      .action((words: string[]) => run(services, [word, ...words]));
  program
    .command('help')
    .description('show the help of a command')
    .argument('[words...]')
    .action(async (words: string[]) => {
      const isCommand = words[0] === undefined || Object.hasOwn(adminCommands, words[0]);
      await program.parseAsync(isCommand ? [...words, '--help'] : words, { from: 'user' });
    });
  return program;
}

/** Whether the words of a command only ask for help. No option of a command of several services takes a value. */
export function asksForHelp(words: readonly string[]): boolean {
  return words.length === 1 || words[1] === 'help' || words.includes('--help') || words.includes('-h');
}

/**
 * Runs an operator's command of a service.
 * @param onStart receives the process id of the command
 * @returns what it printed
 * @throws Error with its output when it fails
 */
export async function runAdmin(
  repository: string,
  service: DatabaseUser,
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
