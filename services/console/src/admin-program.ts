import { keysCommand } from '@tributary/key-providers';
import { argument, databaseConfig, inTransaction, readConfig, schemaCommand } from '@tributary/service-kit';
import { Command } from 'commander';
import type { Pool } from 'pg';
import { z } from 'zod';
import { serviceName, vaultConfig } from './config';
import {
  type ConsoleDatabase,
  migrateConsoleDatabase,
  openConsoleDatabase,
} from './developer-console/database/open-database';
import { endSessions } from './developer-console/sessions/sessions';

const idArgument = argument((text) => z.uuid().safeParse(text).data, 'It must be an id.');

/**
 * The operator's commands: `organisation list`, `allow-live`, `refuse-live`; `account list`, `disable`, `enable`,
 * `reset-second-factors`; `keys`; `schema migrate`.
 * @param print writes a line to standard output
 */
export function adminProgram(print: (line: string) => void, environment: NodeJS.ProcessEnv = process.env): Command {
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
  const setLive = async (pool: Pool, id: string, isAllowed: boolean): Promise<boolean> =>
    (await pool.query('UPDATE organisation SET may_have_live_clients = $2 WHERE id = $1', [id, isAllowed])).rowCount ===
    1;
  change(
    organisation,
    {
      name: 'allow-live',
      description: 'let an organisation have live clients, whose users connect to real health systems',
      done: 'the organisation may have live clients',
    },
    (pool, id) => setLive(pool, id, true),
  );
  change(
    organisation,
    {
      name: 'refuse-live',
      description: 'let an organisation have no further live clients',
      done: 'the organisation may have no further live clients',
    },
    (pool, id) => setLive(pool, id, false),
  );

  const account = program.command('account').description('accounts of developers');
  list(
    account,
    'accounts',
    'SELECT id, email, name, created_at, verified_at, disabled_at FROM account ORDER BY created_at',
  );
  change(
    account,
    {
      name: 'disable',
      description: 'end the sessions of an account, and let nobody sign in',
      done: 'the account is disabled',
    },
    (pool, id) =>
      inTransaction(pool, async (on) => {
        await endSessions(on, id);
        await on.query('DELETE FROM invitation WHERE inviter_id = $1', [id]);
        const sql = 'UPDATE account SET disabled_at = coalesce(disabled_at, now()) WHERE id = $1';
        return (await on.query(sql, [id])).rowCount === 1;
      }),
  );
  change(
    account,
    { name: 'enable', description: 'undo disable', done: 'the account is enabled' },
    async (pool, id) => (await pool.query('UPDATE account SET disabled_at = NULL WHERE id = $1', [id])).rowCount === 1,
  );
  change(
    account,
    {
      name: 'reset-second-factors',
      description:
        'for a developer who has lost all of them, and whose identity you have verified: end the sessions, and let the next sign-in with the password enrol a new one',
      done: 'the account has no second factor any more',
    },
    (pool, id) =>
      inTransaction(pool, async (on) => {
        const sql = 'UPDATE account SET totp_sealed = NULL, totp_added_at = NULL, totp_last_step = NULL WHERE id = $1';
        const { rowCount } = await on.query(sql, [id]);
        await on.query('DELETE FROM passkey WHERE account_id = $1', [id]);
        await on.query('DELETE FROM recovery_code WHERE account_id = $1', [id]);
        await endSessions(on, id);
        return rowCount === 1;
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
