import { openClient, readConfig } from '@tributary/service-kit';
import { findGrantProblems } from './check-grants';
import { readProvisionSettings, serverOf, superuserConfig } from './config';
import { ofDatabase, owners, provisionWhenReachable } from './provision';

/**
 * Run once before the services start: `SUPERUSER_URL`, and `<SERVICE>_DATABASE_PASSWORD` (or `…_FILE`) for each
 * service. `AUDIT_RETENTION_DAYS` (2196): how long the audit log is kept.
 */
async function provisionAll(): Promise<void> {
  const { server, passwords, options } = readProvisionSettings(process.env);
  await provisionWhenReachable(server, passwords, options);
  process.stdout.write(`the database has a role and a schema for each of ${owners.join(', ')}\n`);
}

/** `check-grants`: prints what differs from the grants that a provisioned database has; `SUPERUSER_URL`. */
async function checkGrants(): Promise<void> {
  const client = await openClient(ofDatabase(serverOf(readConfig(superuserConfig))), {});
  const problems = await findGrantProblems(client).finally(() => client.end());
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length === 0) process.stdout.write('the grants of the database are those that are expected\n');
  else process.exitCode = 1;
}

async function main([command]: string[]): Promise<void> {
  if (command !== undefined && command !== 'check-grants') throw new Error(`there is no command ${command}`);
  await (command === undefined ? provisionAll() : checkGrants());
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(
    `the database cannot be ${process.argv[2] === 'check-grants' ? 'checked' : 'provisioned'}: ${error instanceof Error ? error.message : 'unknown reason'}\n`,
  );
  process.exitCode = 1;
});
