import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type ObjectStorageCredentials, stopAbandonedServer } from '@tributary/local-databases';
import { type InstallationSecrets, type KeyEncryptionKeyName, makeSecrets } from '@tributary/postgres';

/** The folder of one local suite: its data, logs and secrets. */
export interface Home {
  root: string;
  postgres: string;
  /** The folder of the streaming replica, where the suite has one. */
  postgresReplica: string;
  /** The folder of PgBouncer, where the suite has one. */
  pgbouncer: string;
  redis: string;
  /** The folder of the object storage, where the suite has one. */
  objects: string;
  logs: string;
  /** The folder of its certificates, when it runs over TLS. */
  certificates: string;
  keyEncryptionKeyFiles: Readonly<Record<KeyEncryptionKeyName, string>>;
  sandboxDirectory: string;
  /** Exists while the suite runs: its addresses and processes, for the demo, the operator's commands and the tests. */
  runningFile: string;
  /** Whether a killed runner had left its databases running; its other processes are about to end by themselves. */
  leftBehind: boolean;
  secrets: Secrets;
}

/** Secrets of the runner itself, and those of the installation by the names that `makeSecrets` gives them. */
const storedSecrets = z.record(z.string(), z.string());

export interface Secrets extends InstallationSecrets {
  demoClient: { client_id: string; client_secret: string };
  sandboxClientSecret: string;
  objectStorage: ObjectStorageCredentials;
}

/**
 * Opens the folder and creates it with its secrets where it does not exist. Ends databases that a killed runner left
 * running.
 * @param fresh deletes the folder first
 * @throws Error when a living runner uses the folder, or an earlier version wrote it
 */
export async function openHome(root: string, fresh: boolean): Promise<Home> {
  const [postgres, redis] = [join(root, 'postgres'), join(root, 'redis')];
  const [postgresReplica, pgbouncer] = [join(root, 'postgres-replica'), join(root, 'pgbouncer')];
  const left = [
    await stopAbandonedServer(pgbouncer),
    await stopAbandonedServer(postgresReplica),
    await stopAbandonedServer(postgres),
    await stopAbandonedServer(redis),
    await stopAbandonedServer(join(root, 'gateway')),
  ];
  if (fresh) rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, 'logs'), { recursive: true, mode: 0o755 });
  const secrets = readSecrets(join(root, 'secrets.json'));
  return {
    root,
    postgres,
    postgresReplica,
    pgbouncer,
    redis,
    objects: join(root, 'objects'),
    logs: join(root, 'logs'),
    certificates: join(root, 'tls'),
    keyEncryptionKeyFiles: writeKeyFiles(root, secrets),
    sandboxDirectory: join(root, 'sandbox.brands.json'),
    runningFile: join(root, 'running.json'),
    leftBehind: left.includes(true),
    secrets,
  };
}

/** Writes the files of the key-encryption keys that do not exist yet. Rotations change them. */
function writeKeyFiles(root: string, { keyEncryptionKeys }: Secrets): Home['keyEncryptionKeyFiles'] {
  const files = Object.entries(keyEncryptionKeys).map(([name, key]) => {
    const file = join(root, `key-encryption-key-${name}`);
    if (!existsSync(file)) writeFileSync(file, `${key}\n`, { mode: 0o600 });
    return [name, file];
  });
  return Object.fromEntries(files) as Home['keyEncryptionKeyFiles'];
}

function readSecrets(file: string): Secrets {
  const read = existsSync(file) ? storedSecrets.safeParse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
  if (read?.success === false)
    throw new Error(`${file} was written by an earlier version; npm start -- --fresh deletes its data and begins anew`);
  const stored = read?.data ?? {};
  const keep = (name: string, make: () => string): string => (stored[name] ??= make());
  const secrets = {
    ...makeSecrets(keep),
    demoClient: {
      client_id: keep('demo-client-id', () => `test_${randomBytes(12).toString('hex')}`),
      client_secret: keep('demo-client-secret', () => randomBytes(32).toString('base64url')),
    },
    sandboxClientSecret: keep('sandbox-client-secret', () => randomBytes(32).toString('base64url')),
    objectStorage: {
      accessKeyId: keep('object-storage-access-key-id', () => randomBytes(10).toString('hex')),
      secretAccessKey: keep('object-storage-secret-access-key', () => randomBytes(32).toString('base64url')),
    },
  };
  writeFileSync(file, JSON.stringify(stored, null, 2), { mode: 0o600 });
  return secrets;
}
