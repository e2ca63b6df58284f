import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { collectionQueuePrefix } from '@tributary/contracts';
import type { Redis } from 'ioredis';

/** What a worker does at one host, and would like to do. */
export interface Claim {
  /** Requests under way. */
  running: number;
  /** Requests that could be under way, these included. */
  wanted: number;
  /** Connections that the requests belong to: shares go by them. */
  connections: number;
  /** The most that the host bears of all workers together, as this worker has seen it. */
  cap: number;
  /** What this worker takes for its share. */
  held: number;
}

/** What a worker may do at one host until the lease ends. */
export interface Lease {
  requests: number;
  /** The least that any of the workers found the host to bear. */
  cap: number;
  /** How many workers have requests for the host. */
  workers: number;
  /** Whether the worker's last claim was remembered. */
  isKnown: boolean;
}

/** Leases of parts of a host's cap, held by all workers together. */
export interface HostLeases {
  /** How long a lease is good, from the moment it was asked for. */
  readonly lastsMs: number;
  /**
   * Takes or renews a lease; a claim to nothing gives it back.
   * @throws when it cannot be told now
   */
  claim(host: string, claim: Claim): Promise<Lease>;
}

/**
 * One step over a hash of the workers that have requests for the host: `held wanted connections cap until`. Those whose time is over are dropped, by the clock
 * of Redis. The cap is dealt out one request at a time to the worker that has least for each of its connections, at first one to each; who begins changes with
 * time, so that more workers than requests take turns. A worker gets no more than the others leave: they give back as their requests end.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local me = ARGV[1]
local running, wanted, connections, cap, held, lasts, turn = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local workers, others, known, least = {}, 0, 0, cap
local entries = redis.call('HGETALL', KEYS[1])
for i = 1, #entries, 2 do
  local has, wants, of, bears, till = string.match(entries[i + 1], '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
  if tonumber(till) < now then
    redis.call('HDEL', KEYS[1], entries[i])
  elseif entries[i] == me then
    known = 1
  else
    others = others + tonumber(has)
    least = math.min(least, tonumber(bears))
    workers[#workers + 1] = { name = entries[i], wanted = tonumber(wants), connections = math.max(1, tonumber(of)), given = 0 }
  end
end
if running == 0 and wanted == 0 then
  redis.call('HDEL', KEYS[1], me)
  return { 0, least, #workers, known }
end
local mine = { name = me, wanted = wanted, connections = math.max(1, connections), given = 0 }
workers[#workers + 1] = mine
table.sort(workers, function (a, b) return a.name < b.name end)
local first = math.floor(now / turn)
for _ = 1, least do
  local poorest
  for i = 1, #workers do
    local worker = workers[(first + i) % #workers + 1]
    if worker.given < worker.wanted and (not poorest or worker.given * poorest.connections < poorest.given * worker.connections) then poorest = worker end
  end
  if not poorest then break end
  poorest.given = poorest.given + 1
end
local may = math.max(0, math.min(mine.given, least - others))
if known == 0 and held > 0 then may = math.min(may, held) end
redis.call('HSET', KEYS[1], me, math.max(running, may) .. ' ' .. wanted .. ' ' .. connections .. ' ' .. cap .. ' ' .. (now + lasts))
redis.call('PEXPIRE', KEYS[1], 2 * lasts)
return { may, least, #workers, known }
`;

const claimName = 'tributaryClaimHost';
/** So long a worker goes first when there are more workers than requests for a host. */
const turnMs = 2000;
/** Who does not get an answer so soon goes on without. */
const patienceMs = 1000;

type ClaimCommand = (key: string, ...values: (string | number)[]) => Promise<[number, number, number, number]>;

/** Leases in Redis. One that its holder does not renew ends by itself. */
export class RedisHostLeases implements HostLeases {
  readonly #worker = randomUUID();

  /** @param redis a connection whose commands fail at once while Redis is away */
  constructor(
    private readonly redis: Redis,
    readonly lastsMs = 10_000,
  ) {
    redis.defineCommand(claimName, { numberOfKeys: 1, lua: script });
  }

  async claim(host: string, { running, wanted, connections, cap, held }: Claim): Promise<Lease> {
    const command = (this.redis as unknown as Record<typeof claimName, ClaimCommand>)[claimName];
    const late = new AbortController();
    try {
      const asked = command.call(
        this.redis,
        `${collectionQueuePrefix}:requests:${host}`,
        this.#worker,
        running,
        wanted,
        connections,
        cap,
        held,
        this.lastsMs,
        turnMs,
      );
      asked.catch(() => undefined);
      const answer = await Promise.race([asked, pause(patienceMs, undefined, { signal: late.signal })]);
      if (!answer) throw new Error('Redis did not answer in time');
      const [requests, least, workers, isKnown] = answer;
      return { requests, cap: least, workers, isKnown: isKnown === 1 };
    } finally {
      late.abort();
    }
  }
}
