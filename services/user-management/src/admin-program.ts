import { keysCommand } from '@tributary/key-providers';
import { type RecordSubjects, databaseConfig, readConfig, schemaCommand } from '@tributary/service-kit';
import { Command } from 'commander';
import { SigningKeys } from './client-keys/signing-keys';
import { type CommandContext, positiveInteger, withDatabase } from './command-context';
import { serviceName } from './config';
import { addConnectionCommands } from './connections/connection-commands';
import { listRetainedConsents } from './consent/retained-consents';
import { migrateServiceDatabase } from './database/open-database';
import { addPauseCommands } from './health-systems/pause-commands';
import { addRegistrationCommands } from './health-systems/registration-commands';
import { addWebhookCommands } from './webhooks/webhook-commands';

/**
 * The command-line interface for the operator.
 * @param print writes a line to standard output
 * @param stop ends commands that run until they are stopped
 * @param recordSubjects records in the audit log on whom a command acts
 */
export function adminProgram(
  print: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
  stop: AbortSignal = new AbortController().signal,
  recordSubjects: RecordSubjects = () => Promise.resolve(),
): Command {
  const program = new Command()
    .description('The registrations and signing keys of our client at health systems.')
    .exitOverride();
  const context: CommandContext = { print, environment, stop, recordSubjects };
  addRegistrationCommands(program, context);
  addConnectionCommands(program, context);
  program
    .command('consent')
    .description('consents of users to connections')
    .command('retained')
    .description('the consents of a user who is deleted: kept for six years after they have ended')
    .requiredOption('--service-user-id <id>', 'the user', positiveInteger)
    .action(({ serviceUserId }: { serviceUserId: number }) =>
      withDatabase(context, async ({ database, keys }) => {
        const entry = await listRetainedConsents(database, keys, serviceUserId);
        if (entry.length === 0)
          throw new Error('no consents are kept of this user, who is unknown, not deleted, or had none');
        const clients = new Set(entry.map(({ client_id }) => client_id));
        await recordSubjects([...clients].map((clientId) => ({ serviceUserId, clientId })));
        print(JSON.stringify({ entry }));
      }),
    );
  addPauseCommands(program, context);
  program
    .command('signing-keys')
    .description('the signing keys of our client, published at {base_url}/connect/jwks.json')
    .command('rotate')
    .description('publish new keys, which sign after 24 hours; the old ones stay published for a week longer')
    .option('--now', 'after a leak: sign with new keys at once, and withdraw the old ones')
    .action(async ({ now }: { now?: boolean }) => {
      await withDatabase(context, ({ database, keys }) => {
        const signingKeys = new SigningKeys(database, keys);
        return now ? signingKeys.replace() : signingKeys.rotate();
      });
      print(
        now
          ? 'new keys sign; the old ones are withdrawn, and health systems that have cached them refuse us until they read our JWK Set again'
          : 'new keys are published and sign from tomorrow on',
      );
    });
  program.addCommand(
    keysCommand({
      withKeyring: (work) =>
        withDatabase(context, ({ kek, scopedKeys: keys }) => work({ service: serviceName, kek, keys })),
      print,
      report: (line) => process.stderr.write(`${line}\n`),
      setExitStatus: (status) => (process.exitCode = status),
    }),
  );
  addWebhookCommands(program, context);
  program.addCommand(schemaCommand(() => migrateServiceDatabase(readConfig(databaseConfig, environment))));
  return program;
}
