// Runs once, as root, before the services start: makes the secrets that do not exist yet, writes those of each service
// into a folder that this service alone can read, and provisions the database.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSecrets, provisionWhenReachable, retentionDaysOf, secretsOf, services } from '@tributary/postgres';

const folder = process.env.SECRETS_DIR ?? '/run/secrets/tributary';
/** The user `node` of the images. */
const serviceUser = 1000;
const server = { host: process.env.POSTGRES_HOST ?? 'postgres', port: Number(process.env.POSTGRES_PORT ?? 5432) };
const superuserUrl = process.env.SUPERUSER_URL;
if (!superuserUrl)
  throw new Error('set SUPERUSER_URL to the PostgreSQL URL of a role that may create roles and databases');
const auditRetentionDays = retentionDaysOf(process.env.AUDIT_RETENTION_DAYS);

function keep(name, make) {
  const file = join(folder, 'made', name);
  if (!existsSync(file)) {
    mkdirSync(join(folder, 'made'), { recursive: true, mode: 0o700 });
    writeFileSync(file, make(), { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}

function writeSecret(service, name, value) {
  const directory = join(folder, service);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chownSync(directory, serviceUser, serviceUser);
  const file = join(directory, name.toLowerCase().replaceAll('_', '-'));
  if (existsSync(file) && readFileSync(file, 'utf8') === value) return;
  // Services that run read the file when it changes: they must not see a part of it.
  const written = `${file}.new`;
  writeFileSync(written, value);
  chownSync(written, serviceUser, serviceUser);
  chmodSync(written, 0o400);
  renameSync(written, file);
}

const secrets = makeSecrets(keep);
for (const service of services)
  for (const [name, value] of Object.entries(secretsOf(service, secrets, server))) writeSecret(service, name, value);
await provisionWhenReachable(superuserUrl, secrets.databasePasswords, { auditRetentionDays });
process.stdout.write('secrets and database are ready\n');
