/**
 * One step over the schedule of all workers. KEYS[1] is the prefix of its keys:
 * - `workers`: hash of worker to `slots until`; `running`: sorted set of `host|collection` by the end of its permit; `counts`: hash of host
 *   to its running collections; `waiting:host`: sorted set of collections by the time since which they wait;
 * - `hosts`: sorted set of hosts that have waiting collections, by their running ones; `resting`: the same for hosts that do not answer,
 *   by the end of their rest; `rests`: hash of host to the number of rests in a row.
 * A permit that ends without being renewed, as its worker is gone or its call was lost, makes its collection wait again, behind the others.
 * The clock is that of Redis. ARGV: operation, worker, its slots, life of a permit in ms, then what the operation needs.
 * Answers what the operation asked for (1 or 0), followed by the collections that got a permit by it, to be called.
 */
export const hostScheduleScript = `
local P = KEYS[1] .. ':'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local op, worker, slots, lasts = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local isolated = '(isolated)'

local function count(host) return tonumber(redis.call('HGET', P .. 'counts', host) or '0') end

local function settle(host)
  if redis.call('EXISTS', P .. 'waiting:' .. host) == 0 then
    redis.call('ZREM', P .. 'hosts', host)
  elseif not redis.call('ZSCORE', P .. 'resting', host) then
    redis.call('ZADD', P .. 'hosts', count(host), host)
  end
end

local function drop(member, waits)
  if redis.call('ZREM', P .. 'running', member) == 0 then return end
  local host, id = string.match(member, '^(.*)|(.*)$')
  if waits then redis.call('ZADD', P .. 'waiting:' .. host, now, id) end
  if redis.call('HINCRBY', P .. 'counts', host, -1) <= 0 then redis.call('HDEL', P .. 'counts', host) end
  settle(host)
end

local function live()
  local all, workers = 0, 0
  local entries = redis.call('HGETALL', P .. 'workers')
  for i = 1, #entries, 2 do
    local has, till = string.match(entries[i + 1], '^(%d+) (%d+)$')
    if tonumber(till) < now then redis.call('HDEL', P .. 'workers', entries[i])
    else
      all = all + tonumber(has)
      workers = workers + 1
    end
  end
  return all, workers
end

local function fill()
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', P .. 'running', '-inf', now, 'LIMIT', 0, 500)) do drop(member, true) end
  for _, host in ipairs(redis.call('ZRANGEBYSCORE', P .. 'resting', '-inf', now, 'LIMIT', 0, 100)) do
    redis.call('ZREM', P .. 'resting', host)
    settle(host)
  end
  local all, workers = live()
  local free = all - redis.call('ZCARD', P .. 'running')
  local called = {}
  while free > 0 and #called < 100 do
    local chosen
    -- Hosts come by their running collections: behind one that has as many as are free nobody may have more.
    local from, isOver = 0, false
    while not chosen and not isOver do
      local hosts = redis.call('ZRANGE', P .. 'hosts', from, from + 99)
      isOver = #hosts < 100
      from = from + 100
      for _, host in ipairs(hosts) do
        local running = count(host)
        local most = free
        if host == isolated then most = math.min(most, workers) end
        if redis.call('HEXISTS', P .. 'rests', host) == 1 then most = math.min(most, 1) end
        if running < most then chosen = host end
        if chosen or running >= free then
          isOver = true
          break
        end
      end
    end
    if not chosen then break end
    local id = redis.call('ZPOPMIN', P .. 'waiting:' .. chosen)[1]
    if id then
      redis.call('ZADD', P .. 'running', now + lasts, chosen .. '|' .. id)
      redis.call('HINCRBY', P .. 'counts', chosen, 1)
      free = free - 1
      called[#called + 1] = chosen .. '|' .. id
    end
    settle(chosen)
  end
  return called
end

redis.call('HSET', P .. 'workers', worker, slots .. ' ' .. (now + lasts))
local result = 0
local called = {}
if op == 'admit' then
  local host, id = ARGV[5], ARGV[6]
  local member = host .. '|' .. id
  if redis.call('ZSCORE', P .. 'running', member) then
    redis.call('ZADD', P .. 'running', now + lasts, member)
    return { 1 }
  end
  redis.call('ZADD', P .. 'waiting:' .. host, 'NX', ARGV[7], id)
  settle(host)
  for _, granted in ipairs(fill()) do
    if granted == member then result = 1 else called[#called + 1] = granted end
  end
elseif op == 'isAdmitted' then
  if redis.call('ZSCORE', P .. 'running', ARGV[5] .. '|' .. ARGV[6]) then result = 1 end
elseif op == 'leave' then
  local host, id, answer, first, longest = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
  if answer == 'answered' then
    redis.call('HDEL', P .. 'rests', host)
    redis.call('ZREM', P .. 'resting', host)
  elseif answer == 'silent' then
    local rests = redis.call('HINCRBY', P .. 'rests', host, 1)
    redis.call('ZREM', P .. 'hosts', host)
    redis.call('ZADD', P .. 'resting', now + math.min(longest, first * 2 ^ math.min(rests - 1, 30)), host)
  end
  drop(host .. '|' .. id, false)
  redis.call('ZREM', P .. 'waiting:' .. host, id)
  settle(host)
  called = fill()
elseif op == 'beat' then
  for i = 5, #ARGV do
    if redis.call('ZSCORE', P .. 'running', ARGV[i]) then redis.call('ZADD', P .. 'running', now + lasts, ARGV[i]) end
  end
  called = fill()
elseif op == 'close' then
  redis.call('HDEL', P .. 'workers', worker)
end
table.insert(called, 1, result)
return called
`;
