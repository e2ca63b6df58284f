const { Redis } = require('ioredis');
const { Client, escapeIdentifier } = require('pg');

/** Drops the databases of the run on an external PostgreSQL. */
async function dropDatabasesOf(run, url) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
      `test_${run}_`,
    ]);
    for (const { datname } of rows)
      await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(datname)} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}

/** Deletes the keys of the run on an external Redis. */
async function deleteKeysOf(run, url) {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    for await (const keys of redis.scanStream({ match: `test-${run}-*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(keys);
    }
  } finally {
    redis.disconnect();
  }
}

module.exports = { dropDatabasesOf, deleteKeysOf };
