/**
 * The process that runs the servers of one test run, in its own session. When its standard input ends, because the run
 * has ended, was interrupted or was killed, it stops the servers and removes their data. It writes one line of JSON
 * with the name of the run and the URLs of the servers to standard output.
 */
require('./typescript-sources');
const { randomBytes } = require('node:crypto');
const { chmod, mkdtemp, rm } = require('node:fs/promises');
const { join } = require('node:path');
const { reachableTemporaryDirectory, startPostgres, startRedis } = require('../../local-databases/src');
const { directoryPrefix, removeAbandonedRuns } = require('./abandoned-runs');
const { dropDatabasesOf } = require('./external-postgres');
const { memoryDirectory } = require('./memory-directory');

/** Durability is off: data of tests may be lost in a crash. */
const postgresSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_connections: 400,
};

const run = randomBytes(4).toString('hex');

async function providePostgres(directory) {
  const url = process.env.TEST_POSTGRES_URL;
  if (url) return { url, stop: () => dropDatabasesOf(run, url) };
  const binDirectory = process.env.TEST_POSTGRES_BIN;
  return startPostgres({ dataDirectory: join(directory, 'postgres'), binDirectory, settings: postgresSettings });
}

function provideRedis() {
  delete process.env.REDIS_URL; // It can contain data of the developer.
  // More than there are test files, each of which has one of its own.
  return startRedis({ databases: 1024 });
}

async function serve() {
  const ended = new Promise((resolve) => {
    process.stdin.resume().once('end', resolve).once('error', resolve);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, resolve);
  });
  const parent = memoryDirectory() ?? reachableTemporaryDirectory();
  await removeAbandonedRuns(parent);
  const directory = await mkdtemp(join(parent, directoryPrefix));
  await chmod(directory, 0o711); // The server user needs search permission.
  process.env.TMPDIR = directory; // Temporary files of the servers are removed with it.

  const starts = await Promise.allSettled([providePostgres(directory), provideRedis()]);
  const [postgres, redis] = starts.map(({ value }) => value);
  const failure = starts.find(({ status }) => status === 'rejected')?.reason;
  if (!failure) {
    process.stdout.write(`${JSON.stringify({ run, postgresUrl: postgres.url, redisUrl: redis.url })}\n`);
    await ended;
  }
  const ends = await Promise.allSettled([postgres?.stop(), redis?.stop()]);
  await rm(directory, { recursive: true, force: true });
  const problem = failure ?? ends.find(({ status }) => status === 'rejected')?.reason;
  if (problem) throw problem;
}

process.stdout.on('error', () => undefined); // The reader has ended; so does standard input.
serve().then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
