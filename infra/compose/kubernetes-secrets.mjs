// Prints the Secrets of the Helm chart (infra/kubernetes) as a List, in JSON, which is YAML, too. `redis-users` prints
// the users of Redis instead, for its aclfile. It makes the secrets that the folder SECRETS_DIR/made does not have yet,
// as secrets.mjs does for compose. Nothing else is written.
import { readConfig } from '@tributary/service-kit';
import { join } from 'node:path';
import { z } from 'zod';
import { secretFiles } from './secret-files.mjs';

const port = z.coerce.number('must be a port').int('must be a port').min(1).max(65_535);

/** Without DATABASE_CA_FILE the server is verified by well-known authorities; with it, by those alone. */
function verified({ 'database-url': url }) {
  return url === undefined ? {} : { 'database-url': `${url}?sslmode=verify-full` };
}

function listOf(files, prefix) {
  // PostgreSQL and Redis are no part of the chart.
  const given = Object.entries(files).filter(([name]) => !['postgres', 'redis'].includes(name));
  const items = given.map(([name, values]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${prefix}-${name}` },
    type: 'Opaque',
    stringData: { ...values, ...verified(values) },
  }));
  return { apiVersion: 'v1', kind: 'List', items };
}

try {
  const [command] = process.argv.slice(2);
  if (command !== undefined && command !== 'redis-users') throw new Error(`there is no command ${command}`);
  const config = readConfig(
    z.object({
      POSTGRES_HOST: z.string().min(1).describe('the host of PostgreSQL, as its certificate names it'),
      POSTGRES_PORT: port.default(5432).describe('its port'),
      REDIS_HOST: z
        .string()
        .min(1)
        .describe('the host of Redis, as its certificate names it; several, separated by commas'),
      REDIS_PORT: port.default(6379).describe('its port with TLS'),
      SECRETS_DIR: z.string().default('/run/secrets/tributary').describe('the folder with the folder of the secrets'),
      SECRET_PREFIX: z.string().default('tributary').describe('secretPrefix of the chart'),
    }),
  );
  const files = secretFiles(join(config.SECRETS_DIR, 'made'), {
    postgres: { host: config.POSTGRES_HOST, port: config.POSTGRES_PORT },
    redisUrl: `rediss://${config.REDIS_HOST.split(',').map((host) => `${host}:${config.REDIS_PORT}`)}`,
  });
  if (command === 'redis-users') process.stdout.write(files.redis['users.acl']);
  else process.stdout.write(`${JSON.stringify(listOf(files, config.SECRET_PREFIX), undefined, 2)}\n`);
} catch (error) {
  process.stderr.write(`the secrets cannot be printed: ${error.message}\n`);
  process.exitCode = 1;
}
