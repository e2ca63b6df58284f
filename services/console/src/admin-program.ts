import { keysCommand } from '@tributary/key-providers';
import {
  type RecordSubjects,
  argument,
  databaseConfig,
  inTransaction,
  readConfig,
  schemaCommand,
} from '@tributary/service-kit';
import { Command } from 'commander';
import type { Pool } from 'pg';
import { z } from 'zod';
import { serviceName, vaultConfig } from './config';
import {
  accountOfAddress,
  disableAccount,
  enableAccount,
  setOperator,
} from './developer-console/accounts/account-state';
import { accountEntity } from './developer-console/common-routes';
import {
  type ConsoleDatabase,
  migrateConsoleDatabase,
  openConsoleDatabase,
} from './developer-console/database/open-database';
import { setLiveClients } from './developer-console/organisations/live-clients';
import { endSessions } from './developer-console/sessions/sessions';

const emailArgument = argument((text) => z.email().safeParse(text).data, 'It must be an e-mail address.');
const idArgument = argument((text) => z.uuid().safeParse(text).data, 'It must be an id.');

/**
 * The operator's commands: `organisation list`, `allow-live`, `refuse-live`; `account list`, `disable`, `enable`,
 * `reset-second-factors`, `make-operator`, `remove-operator`; `keys`; `schema migrate`.
 * @param print writes a line to standard output
 * @param recordSubjects records in the audit log on whom a command acts
 */
export function adminProgram(
  print: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
  recordSubjects: RecordSubjects = () => Promise.resolve(),
): Command {
  const withDatabase = async (work: (database: ConsoleDatabase) => Promise<void>): Promise<void> => {
    const database = await openConsoleDatabase(readConfig(vaultConfig, environment));
    try {
      await work(database);
    } finally {
      await database.close();
    }
  };
  const list = (parent: Command, what: string, sql: string): Command =>
    parent
      .command('list')
      .description(`all ${what}, as JSON`)
      .action(() =>
        withDatabase(async ({ pool }) => print(JSON.stringify({ entry: (await pool.query<object>(sql)).rows }))),
      );
  /** A command on one row. @param work returns whether there is such a row */
  const change = (
    parent: Command,
    { name, description, done }: { name: string; description: string; done: string },
    work: (pool: Pool, id: string) => Promise<boolean>,
  ): Command =>
    parent
      .command(name)
      .description(description)
      .argument('<id>', 'its id, by `list`', idArgument)
      .action((id: string) =>
        withDatabase(async ({ pool }) => {
          if (!(await work(pool, id))) throw new Error('there is none with this id');
          print(done);
        }),
      );

  const program = new Command().description('The accounts and organisations of developers.').exitOverride();
  const organisation = program.command('organisation').description('organisations of developers');
  list(
    organisation,
    'organisations',
    `SELECT id, name, may_have_live_clients, created_at, (SELECT count(*)::int FROM membership m WHERE m.organisation_id = o.id) AS members
     FROM organisation o ORDER BY created_at`,
  );
  change(
    organisation,
    {
      name: 'allow-live',
      description: 'let an organisation have live clients, whose users connect to real health systems',
      done: 'the organisation may have live clients',
    },
    (pool, id) => setLiveClients(pool, id, true),
  );
  change(
    organisation,
    {
      name: 'refuse-live',
      description: 'let an organisation have no further live clients',
      done: 'the organisation may have no further live clients',
    },
    (pool, id) => setLiveClients(pool, id, false),
  );

  const account = program.command('account').description('accounts of developers');
  list(
    account,
    'accounts',
    'SELECT id, email, name, created_at, verified_at, disabled_at, operator_since FROM account ORDER BY created_at',
  );
  change(
    account,
    {
      name: 'disable',
      description: 'end the sessions of an account, and let nobody sign in',
      done: 'the account is disabled',
    },
    disableAccount,
  );
  change(account, { name: 'enable', description: 'undo disable', done: 'the account is enabled' }, enableAccount);
  change(
    account,
    {
      name: 'reset-second-factors',
      description:
        'for a developer who has lost all of them, and whose identity you have verified: end the sessions, and let the next sign-in with the password enrol a new one; the account is no operator any more',
      done: 'the account has no second factor any more, and is none of an operator',
    },
    (pool, id) =>
      inTransaction(pool, async (on) => {
        const sql =
          'UPDATE account SET totp_sealed = NULL, totp_added_at = NULL, totp_last_step = NULL, operator_since = NULL WHERE id = $1';
        const { rowCount } = await on.query(sql, [id]);
        await on.query('DELETE FROM passkey WHERE account_id = $1', [id]);
        await on.query('DELETE FROM recovery_code WHERE account_id = $1', [id]);
        await endSessions(on, id);
        return rowCount === 1;
      }),
  );

  for (const { name, description, isOperator, done } of [
    {
      name: 'make-operator',
      description: 'let an account use the operator area of the console, which shows and changes the whole service',
      isOperator: true,
      done: 'the account is one of an operator',
    },
    {
      name: 'remove-operator',
      description: 'undo make-operator, at once',
      isOperator: false,
      done: 'the account is no operator any more',
    },
  ])
    account
      .command(name)
      .description(description)
      .requiredOption('--email <address>', 'whose', emailArgument)
      .action(({ email }: { email: string }) =>
        withDatabase(async ({ pool }) => {
          const id = await accountOfAddress(pool, email);
          if (id === undefined) throw new Error('there is no account with this address');
          await recordSubjects([{ entity: accountEntity(id) }]);
          if (!(await setOperator(pool, id, isOperator)))
            throw new Error('the account needs a verified address and a second factor');
          print(done);
        }),
      );

  program.addCommand(
    keysCommand({
      withKeyring: (work) => withDatabase(({ keys, kek }) => work({ service: serviceName, kek, keys })),
      print,
      report: (line) => process.stderr.write(`${line}\n`),
      setExitStatus: (status) => (process.exitCode = status),
    }),
  );
  return program.addCommand(schemaCommand(() => migrateConsoleDatabase(readConfig(databaseConfig, environment))));
}
