import { AuthClient, InternalHttp, RecordsClient } from '@tributary/contracts';
import { Api, type RunningService, openRedis, rateLimit, serviceErrorFormat } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Config } from './config';
import { ForgetConnections } from './connections/forget-connections';
import { openServiceDatabase } from './database/open-service-database';
import { periodically } from './schedule/periodically';
import { AppUserIds } from './users/app-user-ids';
import { finishUserChanges } from './users/unfinished-changes';
import { UserChanges } from './users/user-changes';
import { UserCodes } from './users/user-codes';
import { addUserRoutes } from './users/user-routes';
import { Users } from './users/users';

export const serviceName = 'user-management';

/** Puts the service together from its configuration. */
export async function start(config: Config, log: Logger): Promise<RunningService> {
  const { source, keys } = await openServiceDatabase(config);
  const redis = openRedis(config.REDIS_URL, log);
  const calls = (service: string, baseUrl: string): InternalHttp => new InternalHttp({ service, baseUrl, caller: serviceName, key: config.SERVICE_KEY });
  const authHttp = calls('auth', config.AUTH_INTERNAL_URL);
  const auth = new AuthClient(authHttp);

  const users = new Users(source, new AppUserIds(keys));
  const changes = new UserChanges({ users, auth, records: new RecordsClient(calls('fhir-store', config.FHIR_STORE_INTERNAL_URL)), connections: new ForgetConnections(source, keys) });

  const publicApi = new Api({ title: 'User management and connect', description: 'Users, and their connections to health systems.', serverUrl: config.BASE_URL, errorFormat: serviceErrorFormat, log });
  const hourlyLimit = rateLimit({ redis, name: serviceName, limit: config.RATE_LIMIT_PER_HOUR, windowMs: 3_600_000, keyOf: (response) => (response.locals['principal'] as { client_id: string }).client_id });
  addUserRoutes(publicApi, { auth, users, codes: new UserCodes(users, auth), changes, hourlyLimit });

  const internalApi = new Api({ title: 'Connections, for the worker', description: '', serverUrl: config.BASE_URL, errorFormat: serviceErrorFormat, log, documentation: false });

  const sweeps = [periodically('finishing changes of users', config.SWEEP_EVERY_SECONDS * 1000, () => finishUserChanges(users, changes, log), log)];
  return {
    publicApp: publicApi.express(),
    internalApp: internalApi.express(),
    ready: {
      database: () => source.query('SELECT 1'),
      redis: () => redis.ping(),
      auth: () => authHttp.call({ method: 'GET', path: '/healthz', answer: z.unknown(), idempotent: false }),
    },
    stop: async () => {
      await Promise.all(sweeps.map((sweep) => sweep.stop()));
      redis.disconnect();
      await source.destroy();
    },
  };
}
