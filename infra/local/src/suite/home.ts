import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sweepLeftover } from '@tributary/local-databases';
import { owners } from '@tributary/postgres';

/** Everything the local suite keeps, below one folder. */
export interface Home {
  root: string;
  postgres: string;
  redis: string;
  logs: string;
  keyEncryptionKey: string;
  sandboxDirectory: string;
  /** Written while the suite runs: how to reach it, for the demo, the operator's commands and the tests. */
  runningFile: string;
  /** A runner that was killed had left its databases running: what else it started is ending as well. */
  leftBehind: boolean;
  secrets: Secrets;
}

const secretsShape = z.object({
  service_keys: z.record(z.string(), z.string()),
  database_passwords: z.record(z.enum(owners), z.string()),
  page_token_key: z.string(),
  file_token_key: z.string(),
  demo_client: z.object({ client_id: z.string(), client_secret: z.string() }),
  sandbox_client_secret: z.string(),
});
export type Secrets = z.infer<typeof secretsShape>;

const callers = ['auth', 'user-management', 'search', 'fhir-store', 'analytics-export', 'ingestion-worker'];

/**
 * Opens the folder, making it and its secrets when they are not there; `fresh` wipes it first. Databases that a killed runner left behind are ended.
 * @throws Error when a runner that is alive uses the folder
 */
export async function openHome(root: string, fresh: boolean): Promise<Home> {
  const [postgres, redis] = [join(root, 'postgres'), join(root, 'redis')];
  const left = [await sweepLeftover(postgres), await sweepLeftover(redis)];
  if (fresh) rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, 'logs'), { recursive: true, mode: 0o755 });
  const keyEncryptionKey = join(root, 'key-encryption-key');
  if (!existsSync(keyEncryptionKey))
    writeFileSync(keyEncryptionKey, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  return {
    root,
    postgres,
    redis,
    logs: join(root, 'logs'),
    keyEncryptionKey,
    sandboxDirectory: join(root, 'sandbox.brands.json'),
    runningFile: join(root, 'running.json'),
    leftBehind: left.includes(true),
    secrets: readSecrets(join(root, 'secrets.json')),
  };
}

function readSecrets(file: string): Secrets {
  if (existsSync(file)) return secretsShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  const secret = (): string => randomBytes(32).toString('base64url');
  const secrets: Secrets = {
    service_keys: Object.fromEntries(callers.map((caller) => [caller, secret()])),
    database_passwords: Object.fromEntries(owners.map((owner) => [owner, secret()])) as Secrets['database_passwords'],
    page_token_key: secret(),
    file_token_key: secret(),
    demo_client: { client_id: randomBytes(12).toString('hex'), client_secret: secret() },
    sandbox_client_secret: secret(),
  };
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  return secrets;
}
