/**
 * The atomic steps of `HostScheduler` over the state that all workers share. The clock is that of Redis. KEYS[1] is the
 * prefix of the keys:
 * - `workers`: hash of worker to `slots expires_at`
 * - `running`: sorted set of `host|collection` by the expiry of the permit
 * - `counts`: hash of host to its permits
 * - `waiting:<host>`: sorted set of waiting collections by the time at which they were queued
 * - `hosts`: sorted set of hosts with waiting collections by their permits
 * - `backoff_until`: sorted set of unreachable hosts by the end of their backoff; these are not in `hosts`
 * - `backoffs`: hash of host to the number of backoffs in a row
 *
 * A permit that expires (its worker crashed, or its promotion was lost) puts its collection back into `waiting`, behind
 * the others. ARGV: operation, worker, slots of the worker, life of a permit in ms, arguments of the operation. Returns
 * the result of the operation (1 or 0), followed by the members of `running` that got a permit and must be promoted.
 */
export const hostSchedulerScript = `
local P = KEYS[1] .. ':'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local op, worker, slots, permit_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local isolated = '(isolated)'

local function permits_of(host) return tonumber(redis.call('HGET', P .. 'counts', host) or '0') end

local function update_host(host)
  if redis.call('EXISTS', P .. 'waiting:' .. host) == 0 then
    redis.call('ZREM', P .. 'hosts', host)
  elseif not redis.call('ZSCORE', P .. 'backoff_until', host) then
    redis.call('ZADD', P .. 'hosts', permits_of(host), host)
  end
end

local function remove_permit(member, waits_again)
  if redis.call('ZREM', P .. 'running', member) == 0 then return end
  local host, id = string.match(member, '^(.*)|(.*)$')
  if waits_again then redis.call('ZADD', P .. 'waiting:' .. host, now, id) end
  if redis.call('HINCRBY', P .. 'counts', host, -1) <= 0 then redis.call('HDEL', P .. 'counts', host) end
  update_host(host)
end

local function live_workers()
  local all_slots, workers = 0, 0
  local entries = redis.call('HGETALL', P .. 'workers')
  for i = 1, #entries, 2 do
    local its_slots, expires_at = string.match(entries[i + 1], '^(%d+) (%d+)$')
    if tonumber(expires_at) < now then redis.call('HDEL', P .. 'workers', entries[i])
    else
      all_slots = all_slots + tonumber(its_slots)
      workers = workers + 1
    end
  end
  return all_slots, workers
end

local function grant_permits()
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', P .. 'running', '-inf', now, 'LIMIT', 0, 500)) do remove_permit(member, true) end
  for _, host in ipairs(redis.call('ZRANGEBYSCORE', P .. 'backoff_until', '-inf', now, 'LIMIT', 0, 100)) do
    redis.call('ZREM', P .. 'backoff_until', host)
    update_host(host)
  end
  local all_slots, workers = live_workers()
  local free = all_slots - redis.call('ZCARD', P .. 'running')
  local granted = {}
  while free > 0 and #granted < 100 do
    local chosen
    -- Hosts are sorted by their permits: behind a host that has as many permits as slots are free, no host may have one more.
    local from, is_over = 0, false
    while not chosen and not is_over do
      local hosts = redis.call('ZRANGE', P .. 'hosts', from, from + 99)
      is_over = #hosts < 100
      from = from + 100
      for _, host in ipairs(hosts) do
        local permits = permits_of(host)
        local max = free
        if host == isolated then max = math.min(max, workers) end
        if redis.call('HEXISTS', P .. 'backoffs', host) == 1 then max = math.min(max, 1) end
        if permits < max then chosen = host end
        if chosen or permits >= free then
          is_over = true
          break
        end
      end
    end
    if not chosen then break end
    local id = redis.call('ZPOPMIN', P .. 'waiting:' .. chosen)[1]
    if id then
      redis.call('ZADD', P .. 'running', now + permit_ms, chosen .. '|' .. id)
      redis.call('HINCRBY', P .. 'counts', chosen, 1)
      free = free - 1
      granted[#granted + 1] = chosen .. '|' .. id
    end
    update_host(chosen)
  end
  return granted
end

redis.call('HSET', P .. 'workers', worker, slots .. ' ' .. (now + permit_ms))
local result = 0
local promoted = {}
if op == 'acquire' then
  local host, id = ARGV[5], ARGV[6]
  local member = host .. '|' .. id
  if redis.call('ZSCORE', P .. 'running', member) then
    redis.call('ZADD', P .. 'running', now + permit_ms, member)
    return { 1 }
  end
  redis.call('ZADD', P .. 'waiting:' .. host, 'NX', ARGV[7], id)
  update_host(host)
  for _, granted in ipairs(grant_permits()) do
    if granted == member then result = 1 else promoted[#promoted + 1] = granted end
  end
elseif op == 'hasPermit' then
  if redis.call('ZSCORE', P .. 'running', ARGV[5] .. '|' .. ARGV[6]) then result = 1 end
elseif op == 'release' then
  local host, id, outcome, first_ms, max_ms = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
  if outcome == 'responded' then
    redis.call('HDEL', P .. 'backoffs', host)
    redis.call('ZREM', P .. 'backoff_until', host)
  elseif outcome == 'unreachable' then
    local backoffs = redis.call('HINCRBY', P .. 'backoffs', host, 1)
    redis.call('ZREM', P .. 'hosts', host)
    redis.call('ZADD', P .. 'backoff_until', now + math.min(max_ms, first_ms * 2 ^ math.min(backoffs - 1, 30)), host)
  end
  remove_permit(host .. '|' .. id, false)
  redis.call('ZREM', P .. 'waiting:' .. host, id)
  update_host(host)
  promoted = grant_permits()
elseif op == 'heartbeat' then
  for i = 5, #ARGV do
    if redis.call('ZSCORE', P .. 'running', ARGV[i]) then redis.call('ZADD', P .. 'running', now + permit_ms, ARGV[i]) end
  end
  promoted = grant_permits()
elseif op == 'close' then
  redis.call('HDEL', P .. 'workers', worker)
end
table.insert(promoted, 1, result)
return promoted
`;
