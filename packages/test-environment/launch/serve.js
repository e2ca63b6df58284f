/**
 * The process that holds the servers of one test run. It has a session of its own and watches its standard input:
 * when that ends (the run is over, was interrupted or was killed) it stops the servers and removes what the run made.
 * One line of JSON on standard output tells the run's name and where its servers listen.
 */
require('./typescript-sources');
const { randomBytes } = require('node:crypto');
const { chmod, mkdtemp, rm } = require('node:fs/promises');
const { join } = require('node:path');
const { reachableTemporaryDirectory, startPostgres, startRedis } = require('../../local-databases/src');
const { directoryPrefix, removeAbandonedRuns } = require('./abandoned-runs');
const { dropDatabasesOf, deleteKeysOf } = require('./foreign-servers');

/** What is lost when the machine fails does not matter in a test. */
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

async function provideRedis() {
  const url = process.env.TEST_REDIS_URL;
  if (url) return { url, stop: () => deleteKeysOf(run, url) };
  delete process.env.REDIS_URL; // That one may hold data somebody needs.
  return startRedis();
}

async function serve() {
  const ended = new Promise((resolve) => {
    process.stdin.resume().once('end', resolve).once('error', resolve);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, resolve);
  });
  const place = reachableTemporaryDirectory();
  await removeAbandonedRuns(place);
  const directory = await mkdtemp(join(place, directoryPrefix));
  await chmod(directory, 0o711); // The user PostgreSQL runs as must get in.
  process.env.TMPDIR = directory; // Whatever the servers put aside goes the same way.

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

process.stdout.on('error', () => undefined); // Nobody listens any more; the end of standard input says so, too.
serve().then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
