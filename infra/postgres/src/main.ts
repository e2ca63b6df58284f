import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { findGrantProblems } from './check-grants';
import { retentionDaysOf } from './retention-days';
import { type DatabaseUser, databaseName, databaseUsers, owners, provisionWhenReachable } from './provision';

type Read = (name: string) => string;

/**
 * Run once before the services start: `SUPERUSER_URL`, and `<SERVICE>_DATABASE_PASSWORD` (or `…_FILE`) for each
 * service. `AUDIT_RETENTION_DAYS` (2190): how long the audit log is kept.
 */
async function provisionAll(read: Read): Promise<void> {
  const passwords = Object.fromEntries(
    databaseUsers.map((user) => [user, read(`${user.toUpperCase().replaceAll('-', '_')}_DATABASE_PASSWORD`)]),
  ) as Record<DatabaseUser, string>;
  await provisionWhenReachable(read('SUPERUSER_URL'), passwords, {
    auditRetentionDays: retentionDaysOf(process.env['AUDIT_RETENTION_DAYS']),
  });
  process.stdout.write(`the database has a role and a schema for each of ${owners.join(', ')}\n`);
}

/** `check-grants`: prints what differs from the grants that a provisioned database has; `SUPERUSER_URL`. */
async function checkGrants(read: Read): Promise<void> {
  const connectionString = Object.assign(new URL(read('SUPERUSER_URL')), { pathname: `/${databaseName}` }).href;
  const client = new Client({ connectionString });
  await client.connect();
  const problems = await findGrantProblems(client).finally(() => client.end());
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length === 0) process.stdout.write('the grants of the database are those that are expected\n');
  else process.exitCode = 1;
}

async function main([command]: string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const read = (name: string): string => {
    const file = environment[`${name}_FILE`];
    const value = environment[name] ?? (file ? readFileSync(file, 'utf8').trim() : '');
    if (!value) throw new Error(`set ${name} or ${name}_FILE`);
    return value;
  };
  if (command !== undefined && command !== 'check-grants') throw new Error(`there is no command ${command}`);
  await (command === undefined ? provisionAll(read) : checkGrants(read));
}

main(process.argv.slice(2), process.env).catch((error: unknown) => {
  process.stderr.write(
    `the database cannot be ${process.argv[2] === 'check-grants' ? 'checked' : 'provisioned'}: ${error instanceof Error ? error.message : 'unknown reason'}\n`,
  );
  process.exitCode = 1;
});
