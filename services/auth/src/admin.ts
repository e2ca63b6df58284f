import {
  createLog,
  databaseConfig,
  flag,
  forgetFailedCredentials,
  openRedis,
  type RecordSubjects,
  readConfig,
  redisConfig,
  runAdminCommand,
  schemaCommand,
  untilReady,
  withoutTimeLimits,
} from '@tributary/service-kit';
import type { Command } from 'commander';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { clientCommands } from './clients/client-commands';
import { migrateAuthDatabase, openAuthDatabase } from './database/auth-database';
import { ClientApplications } from './clients/client-applications';
import { clientOfUser, revokeTokensOf } from './revocation/revoke-by-operator';
import { addTokenCommands } from './revocation/token-commands';

/** The operator's commands of auth, on the database that DATABASE_URL names. */
function program(recordSubjects: RecordSubjects): Command {
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  const commands = clientCommands({
    recordSubjects,
    withClients: (work) => withDatabase((source) => work(new ClientApplications(source))),
    forgetFailures,
    print,
    sandboxMode: readConfig(z.object({ SANDBOX_MODE: flag })).SANDBOX_MODE,
  });
  addTokenCommands(commands, {
    recordSubjects,
    clientOf: (serviceUserId) => withDatabase((source) => clientOfUser(source, serviceUserId)),
    revoke: (owner) =>
      withDatabase(async (source) =>
        'clientId' in owner && !(await new ClientApplications(source).findRegistered(owner.clientId))
          ? undefined
          : revokeTokensOf(source, owner),
      ),
    print,
  });
  return commands.addCommand(schemaCommand(() => migrateAuthDatabase(readConfig(databaseConfig))));
}

async function withDatabase<T>(work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = await openAuthDatabase(withoutTimeLimits(readConfig(databaseConfig)));
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

/** Does nothing without REDIS_URL, and warns when Redis does not respond: the command itself was carried out. */
async function forgetFailures(clientId: string): Promise<void> {
  const { REDIS_URL, ...config } = readConfig(redisConfig.partial({ REDIS_URL: true }));
  if (REDIS_URL === undefined) return;
  const redis = openRedis({ ...config, REDIS_URL }, createLog('auth', 'silent'));
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

void runAdminCommand('auth', program);
