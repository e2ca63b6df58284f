// Runs once, as root, before the services: makes the secrets that are not there yet, one folder a service, readable by that service alone; then the database.
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acceptedKeys, databaseUrl, owners, provisionWhenReachable } from '@tributary/postgres';

const folder = process.env.SECRETS_DIR ?? '/run/secrets/tributary';
const user = 1000;
const host = process.env.POSTGRES_HOST ?? 'postgres';
const port = Number(process.env.POSTGRES_PORT ?? 5432);
const superuser = process.env.SUPERUSER_URL;
if (!superuser)
  throw new Error('set SUPERUSER_URL to the PostgreSQL URL of a role that may create roles and databases');

function kept(path, make) {
  const file = join(folder, path);
  if (!existsSync(file)) {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(file, make(), { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}

function give(service, name, value) {
  const into = join(folder, service);
  mkdirSync(into, { recursive: true, mode: 0o700 });
  chownSync(into, user, user);
  const file = join(into, name);
  writeFileSync(file, value);
  chownSync(file, user, user);
  chmodSync(file, 0o400);
}

const secret = () => randomBytes(32).toString('base64url');
const keys = Object.fromEntries(owners.map((owner) => [owner, kept(`made/service-key-${owner}`, secret)]));
const passwords = Object.fromEntries(owners.map((owner) => [owner, kept(`made/database-password-${owner}`, secret)]));
const keyEncryptionKey = kept('made/key-encryption-key', () => randomBytes(32).toString('base64'));
const tokenKeys = {
  'fhir-store': ['page-token-key', kept('made/page-token-key', secret)],
  'analytics-export': ['file-token-key', kept('made/file-token-key', secret)],
};

for (const owner of owners) {
  give(owner, 'database-url', databaseUrl(owner, { host, port, password: passwords[owner] }));
  give(owner, 'service-key', keys[owner]);
  give(owner, 'service-keys', acceptedKeys(owner, keys));
  give(owner, 'key-encryption-key', keyEncryptionKey);
  if (tokenKeys[owner]) give(owner, ...tokenKeys[owner]);
}
await provisionWhenReachable(superuser, passwords);
process.stdout.write('secrets and database are ready\n');
