// The secrets of an installation, and the files of secrets that each container receives: for compose (secrets.mjs) and
// for Kubernetes (kubernetes-secrets.mjs).
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { databaseUsers, makeSecrets, redisUsers, secretsOf, services } from '@tributary/postgres';

/**
 * Replaces a file at once: a process that reads it, or a loss of power, finds the earlier content or this one.
 * @param owner the user and the group who get the file, which root alone may give away
 */
export function replaceFile(file, content, mode, owner) {
  const written = `${file}.new`;
  try {
    writeFileSync(written, content, { mode: 0o600 });
    if (owner !== undefined) chownSync(written, owner, owner);
    chmodSync(written, mode);
    const descriptor = openSync(written, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(written, file);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}

/**
 * Makes the secrets that are not in the folder `made` yet.
 * @param made has a file for each secret, and the one of the mail server that the operator writes
 * @param servers where PostgreSQL and Redis are, as secretsOf takes them
 * @returns the files of each container, by their names
 */
export function secretFiles(made, servers) {
  const keep = (name, make) => {
    const file = join(made, name);
    if (!existsSync(file)) {
      mkdirSync(made, { recursive: true, mode: 0o700 });
      replaceFile(file, make(), 0o600);
    }
    return readFileSync(file, 'utf8').trim();
  };
  const secrets = makeSecrets(keep);
  const postgresPassword = keep('postgres-password', () => randomBytes(32).toString('base64url'));
  const smtpUrl = join(made, 'smtp-url');
  const files = Object.fromEntries(
    services.map((service) => [
      service,
      Object.fromEntries(
        Object.entries(secretsOf(service, secrets, servers)).map(([name, value]) => [
          name.toLowerCase().replaceAll('_', '-'),
          value,
        ]),
      ),
    ]),
  );
  return {
    ...files,
    console: { ...files.console, 'smtp-url': existsSync(smtpUrl) ? readFileSync(smtpUrl, 'utf8').trim() : '' },
    postgres: { 'postgres-password': postgresPassword.split('\n').at(-1) },
    redis: {
      'users.acl': `${redisUsers(secrets).join('\n')}\n`,
      'operator-password': secrets.redisOperatorPassword.split('\n').at(-1),
    },
    provision: {
      'superuser-password': postgresPassword,
      ...Object.fromEntries(
        databaseUsers.map((user) => [`${user}-database-password`, secrets.databasePasswords[user]]),
      ),
    },
  };
}
