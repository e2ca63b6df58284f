/** The longest delay between attempts, in milliseconds. */
const maxDelayMs = 900_000;
/** How long an address at which a client has succeeded is remembered, in milliseconds. */
const knownForMs = 30 * 86_400_000;
/** An attempt whose process was killed counts as open for this time, in milliseconds. */
const openForMs = 60_000;

const clock = `
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
`;

/**
 * KEYS: failures of the pair of client and address, of the address, and of the client; known address; open attempts.
 */
export const scriptKeys = 5;

/**
 * ARGV: id of the attempt, open attempts that a known address and another may have. Returns the milliseconds to wait; 0
 * when the attempt has begun, and -1 when too many are open. After the clock of Redis was set back, a time that is
 * further ahead than any delay has passed, and so has the begin of an attempt in the future.
 */
export const beginScript = `${clock}
local known = redis.call('EXISTS', KEYS[4]) == 1
local wait = 0
for level = 1, known and 1 or 3 do
  local ahead = tonumber(redis.call('HGET', KEYS[level], 'until') or '0') - ms
  if ahead <= ${maxDelayMs} then
    wait = math.max(wait, ahead)
  end
end
if wait > 0 then
  return wait
end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', ms - ${openForMs})
redis.call('ZREMRANGEBYSCORE', KEYS[5], '(' .. string.format('%.0f', ms), '+inf')
if redis.call('ZCARD', KEYS[5]) >= tonumber(known and ARGV[2] or ARGV[3]) then
  return -1
end
redis.call('ZADD', KEYS[5], ms, ARGV[1])
redis.call('PEXPIRE', KEYS[5], ${openForMs})
return 0
`;

/**
 * ARGV: id of the attempt, outcome, and for each of the three levels the failures that are allowed and the milliseconds
 * in which one is forgotten. A success forgets the failures of the pair and remembers the address.
 */
export const endScript = `${clock}
redis.call('ZREM', KEYS[5], ARGV[1])
if ARGV[2] == 'succeeded' then
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[4], '1', 'PX', ${knownForMs})
elseif ARGV[2] == 'failed' then
  for level = 1, 3 do
    local allowed = tonumber(ARGV[1 + 2 * level])
    local forget = tonumber(ARGV[2 + 2 * level])
    if allowed > 0 then
      local state = redis.call('HMGET', KEYS[level], 'failures', 'at')
      local failures = tonumber(state[1] or '0')
      failures = math.max(0, failures - math.max(0, ms - tonumber(state[2] or ms)) / forget) + 1
      local excess = math.ceil(failures - 0.5) - allowed
      local delay = 0
      if excess > 0 then
        delay = math.min(${maxDelayMs}, 1000 * 2 ^ math.min(excess - 1, 20))
      end
      redis.call('HSET', KEYS[level], 'failures', string.format('%.6f', failures), 'at', string.format('%.0f', ms))
      if delay > 0 then
        redis.call('HSET', KEYS[level], 'until', string.format('%.0f', ms + delay))
      end
      redis.call('PEXPIRE', KEYS[level], math.ceil(failures * forget + delay))
    end
  end
end
return 0
`;
