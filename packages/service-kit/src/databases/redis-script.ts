import type { RedisClient } from './redis';

/** A Lua script as a function of its keys and arguments. */
export type RedisScript<Reply> = (...words: (string | number)[]) => Promise<Reply>;

/** ioredis sends the digest of a defined command, and its text only when Redis does not have the script yet. */
export function redisScript<Reply>(
  redis: RedisClient,
  name: string,
  numberOfKeys: number,
  lua: string,
): RedisScript<Reply> {
  redis.defineCommand(name, { numberOfKeys, lua });
  return (redis as unknown as Record<string, RedisScript<Reply>>)[name]!.bind(redis);
}
