export { startPostgres, type PostgresOptions, type RunningPostgres } from './postgres';
export { startRedis, type RedisOptions, type RunningRedis } from './redis';
export { sweepLeftover } from './claim';
export { reachableTemporaryDirectory } from './server-user';
