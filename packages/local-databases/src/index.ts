export { startPostgres, type PostgresOptions, type RunningPostgres, type ServerCertificate } from './postgres';
export { startRedis, type RedisOptions, type RunningRedis } from './redis';
export { stopAbandonedServer } from './directory-lock';
export { reachableTemporaryDirectory } from './server-user';
