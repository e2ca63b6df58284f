import type { RedisClient } from '@tributary/service-kit';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { collectionQueuePrefix } from '@tributary/contracts';

/** What a worker does at one host, and what it could do. */
export interface Claim {
  /** Requests in progress. */
  running: number;
  /** Requests in progress and requests that wait. */
  wanted: number;
  /** Connections that these requests belong to: the cap is divided by connections. */
  connections: number;
  /** How many requests of all workers the host tolerates, as far as this worker has found. */
  cap: number;
  /** What this worker assumes to be its share. */
  held: number;
}

/** What a worker may do at one host until the lease expires. */
export interface GrantedLease {
  requests: number;
  /** The lowest cap that any worker has claimed. */
  cap: number;
  /** How many workers have requests for the host. */
  workers: number;
  /** Whether Redis still had the previous claim of this worker. */
  isKnown: boolean;
}

/**
 * One Redis hash per host, with a field per worker: `held wanted connections cap expires_at`. The clock is that of
 * Redis. The script
 * 1. deletes expired fields;
 * 2. deletes the field of this worker when it claims nothing;
 * 3. deals out the lowest cap one request at a time. The next request goes to the worker with the fewest requests per
 * connection. Ties go by the order of the workers, which starts at another worker in each rotation period, so that
 * every worker is served when there are more workers than requests;
 * 4. grants no more than the other workers do not hold: they give back as their requests end;
 * 5. grants a worker whose field was lost (a restart of Redis without its data) no more than the worker held.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local me = ARGV[1]
local running, wanted, connections, cap, held, lease_ms, rotation_ms =
  tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local workers, held_by_others, known, lowest_cap = {}, 0, 0, cap
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local its_held, its_wanted, its_connections, its_cap, expires_at = string.match(fields[i + 1], '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
  if tonumber(expires_at) < now then
    redis.call('HDEL', KEYS[1], fields[i])
  elseif fields[i] == me then
    known = 1
  else
    held_by_others = held_by_others + tonumber(its_held)
    lowest_cap = math.min(lowest_cap, tonumber(its_cap))
    workers[#workers + 1] = { name = fields[i], wanted = tonumber(its_wanted), connections = math.max(1, tonumber(its_connections)), given = 0 }
  end
end
if running == 0 and wanted == 0 then
  redis.call('HDEL', KEYS[1], me)
  return { 0, lowest_cap, #workers, known }
end
local mine = { name = me, wanted = wanted, connections = math.max(1, connections), given = 0 }
workers[#workers + 1] = mine
table.sort(workers, function (a, b) return a.name < b.name end)
local first = math.floor(now / rotation_ms)
for _ = 1, lowest_cap do
  local next_worker
  for i = 1, #workers do
    local worker = workers[(first + i) % #workers + 1]
    if worker.given < worker.wanted and (not next_worker or worker.given * next_worker.connections < next_worker.given * worker.connections) then next_worker = worker end
  end
  if not next_worker then break end
  next_worker.given = next_worker.given + 1
end
local granted = math.max(0, math.min(mine.given, lowest_cap - held_by_others))
if known == 0 and held > 0 then granted = math.min(granted, held) end
redis.call('HSET', KEYS[1], me, math.max(running, granted) .. ' ' .. wanted .. ' ' .. connections .. ' ' .. cap .. ' ' .. (now + lease_ms))
redis.call('PEXPIRE', KEYS[1], 2 * lease_ms)
return { granted, lowest_cap, #workers, known }
`;

const commandName = 'tributaryClaimHost';
/** How long the same worker comes first in the dealing order. */
const rotationMs = 2000;
type ClaimCommand = (key: string, ...values: (string | number)[]) => Promise<[number, number, number, number]>;

/** Leases in Redis that divide the request cap of each host among all workers. A lease that is not renewed expires. */
export class HostLeaseStore {
  readonly #worker = randomUUID();

  /**
   * @param redis a connection whose commands fail at once while Redis is unavailable
   * @param leaseMs how long a lease lasts, from the moment of its claim
   * @param claimTimeoutMs a claim fails when Redis does not respond within this time
   */
  constructor(
    private readonly redis: RedisClient,
    readonly leaseMs = 10_000,
    private readonly claimTimeoutMs = 1000,
  ) {
    redis.defineCommand(commandName, { numberOfKeys: 1, lua: script });
  }

  /**
   * Takes or renews a lease; a claim to nothing releases it.
   * @throws when Redis is unavailable, or does not respond in time. The claim may have taken effect all the
   * same.
   */
  async claim(host: string, { running, wanted, connections, cap, held }: Claim): Promise<GrantedLease> {
    const command = (this.redis as unknown as Record<typeof commandName, ClaimCommand>)[commandName];
    const timeout = new AbortController();
    try {
      const response = command.call(
        this.redis,
        `${collectionQueuePrefix}:requests:${host}`,
        this.#worker,
        running,
        wanted,
        connections,
        cap,
        held,
        this.leaseMs,
        rotationMs,
      );
      response.catch(() => undefined);
      const result = await Promise.race([response, pause(this.claimTimeoutMs, undefined, { signal: timeout.signal })]);
      if (!result) throw new Error('Redis did not respond in time');
      const [requests, lowestCap, workers, isKnown] = result;
      return { requests, cap: lowestCap, workers, isKnown: isKnown === 1 };
    } finally {
      timeout.abort();
    }
  }
}
