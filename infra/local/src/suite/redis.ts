import { startRedis, startRedisCluster, startRedisSentinels } from '@tributary/local-databases';
import { redisUsers } from '@tributary/postgres';
import type { SuiteCertificates } from './certificates';
import type { Home } from './home';
import { SupervisedServer } from './supervised-server';

/** How the services connect to Redis: the values of REDIS_MODE. */
export type RedisMode = 'server' | 'sentinel' | 'cluster';

export interface RedisSettings {
  /** With the password of the default user. */
  url: string;
  mode: RedisMode;
  /** Whether Redis knows a user for each service. */
  hasUsers: boolean;
}

export interface SuiteRedis {
  settings: RedisSettings;
  /** The process id of each server; 0 for one that does not run. */
  pids(): Record<string, number>;
  stop(): Promise<void>;
}

interface Options {
  home: Home;
  /** Of the one server; several have any free ports. */
  port: number;
  certificates: SuiteCertificates | undefined;
  warn(message: string): void;
  restarted(): void;
}

/** Starts one server, which is restarted on its data, or several that keep nothing on disk and replace each other. */
export async function startSuiteRedis(
  mode: RedisMode,
  { home, port, certificates, warn, restarted }: Options,
): Promise<SuiteRedis> {
  // The runner is the default user.
  const users = redisUsers(home.secrets).filter((line) => !line.startsWith('user default'));
  if (mode !== 'server') {
    if (certificates) throw new Error('several servers of Redis have no TLS here: leave out --tls or --redis');
    const { url, servers, stop } = await (mode === 'cluster' ? startRedisCluster : startRedisSentinels)({ users });
    return {
      settings: { url, mode, hasUsers: true },
      pids: () => Object.fromEntries(servers.map(({ pid }, index) => [`redis-${index + 1}`, pid])),
      stop,
    };
  }
  const redis = await SupervisedServer.start(
    'Redis',
    () => startRedis({ dataDirectory: home.redis, port, tls: certificates?.files('redis'), users }),
    warn,
    restarted,
  );
  if (redis.current.kind === 'emulation')
    warn('Redis is a slow emulation: install the real one with `apt-get install redis-server` or `brew install redis`');
  return {
    // A restarted server has the same ones.
    settings: { url: redis.current.url, mode, hasUsers: ['redis', 'valkey'].includes(redis.current.kind) },
    pids: () => ({ redis: redis.current.pid ?? 0 }),
    stop: () => redis.stop(),
  };
}

/** @param proxyPort of a proxy through which the services connect */
export function redisSettingsOf({ settings }: SuiteRedis, proxyPort: number | undefined): RedisSettings {
  if (proxyPort === undefined) return settings;
  const url = new URL(settings.url);
  url.port = String(proxyPort);
  return { ...settings, url: url.href };
}
