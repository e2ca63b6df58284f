import { readFileSync } from 'node:fs';
import { type Owner, owners, provisionWhenReachable } from './provision';

/**
 * Run once before the services start: `SUPERUSER_URL`, and `<SERVICE>_DATABASE_PASSWORD` (or `…_FILE`) for each
 * service.
 */
async function main(environment: NodeJS.ProcessEnv): Promise<void> {
  const read = (name: string): string => {
    const file = environment[`${name}_FILE`];
    const value = environment[name] ?? (file ? readFileSync(file, 'utf8').trim() : '');
    if (!value) throw new Error(`set ${name} or ${name}_FILE`);
    return value;
  };
  const passwords = Object.fromEntries(
    owners.map((owner) => [owner, read(`${owner.toUpperCase().replaceAll('-', '_')}_DATABASE_PASSWORD`)]),
  ) as Record<Owner, string>;
  await provisionWhenReachable(read('SUPERUSER_URL'), passwords);
  process.stdout.write(`the database has a role and a schema for each of ${owners.join(', ')}\n`);
}

main(process.env).catch((error: unknown) => {
  process.stderr.write(
    `the database cannot be provisioned: ${error instanceof Error ? error.message : 'unknown reason'}\n`,
  );
  process.exitCode = 1;
});
