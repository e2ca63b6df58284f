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

module.exports = { dropDatabasesOf };
