export {
  startObjectStorage,
  type ObjectStorageCredentials,
  type ObjectStorageServerOptions,
  type RunningObjectStorage,
} from './object-storage';
export { startPostgres, type PostgresOptions, type RunningPostgres, type ServerCertificate } from './postgres';
export { copyAsReplica } from './postgres-cluster';
export { hasPgBouncer, startPgBouncer, type RunningPgBouncer } from './pgbouncer';
export { startRedis, type RedisOptions, type RunningRedis } from './redis';
export { startRedisCluster, startRedisSentinels, type ReplicatedRedis } from './replicated-redis';
export { DirectoryLock, stopAbandonedServer } from './directory-lock';
export { findExecutable } from './executable';
export { ServerProcess } from './server-process';
export { reachableTemporaryDirectory } from './server-user';
