import {
  createLog,
  databaseConfig,
  flag,
  forgetFailedCredentials,
  openRedis,
  readConfig,
  redisConfig,
  runAdminCommand,
  untilReady,
} from '@tributary/service-kit';
import { z } from 'zod';
import { clientCommands } from './clients/client-commands';
import { openAuthDatabase } from './database/auth-database';
import { ClientApplications } from './clients/client-applications';

/** Runs one command of the operator on the database that DATABASE_URL names. */
async function main(): Promise<void> {
  const commands = clientCommands({
    withClients: async (work) => {
      const source = await openAuthDatabase(readConfig(databaseConfig));
      try {
        return await work(new ClientApplications(source));
      } finally {
        await source.destroy();
      }
    },
    forgetFailures,
    print: (text) => process.stdout.write(`${text}\n`),
    sandboxMode: readConfig(z.object({ SANDBOX_MODE: flag })).SANDBOX_MODE,
  });
  await commands.parseAsync(process.argv);
}

/** Does nothing without REDIS_URL, and warns when Redis does not respond: the command itself was carried out. */
async function forgetFailures(clientId: string): Promise<void> {
  const { REDIS_URL } = readConfig(redisConfig.pick({ REDIS_URL: true }).partial());
  if (REDIS_URL === undefined) return;
  const redis = openRedis(readConfig(redisConfig), createLog('auth', 'silent'));
  try {
    await untilReady(redis);
    await forgetFailedCredentials(redis, clientId);
  } catch {
    process.stderr.write(
      'warning: Redis did not respond; after failed attempts the client may be refused for up to 15 minutes\n',
    );
  } finally {
    redis.disconnect();
  }
}

runAdminCommand('auth', process.argv.slice(2), main).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'the command failed'}\n`);
  process.exitCode = 1;
});
