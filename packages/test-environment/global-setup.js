const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

/** The key under which global-teardown finds the servers. */
const held = Symbol.for('tributary.test-environment.servers');

/**
 * Starts a PostgreSQL and a Redis for the test run, in a process that ends together with this one. PostgreSQL is
 * version 18, or that of the directory TEST_POSTGRES_BIN. With TEST_POSTGRES_URL that server is used instead; the
 * databases of the run are removed at its end.
 */
module.exports = async function startServers() {
  if (globalThis[held]) return; // Several projects in one run share the servers.
  const server = spawn(process.execPath, [join(__dirname, 'launch', 'serve.js')], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit');
  const lines = createInterface({ input: server.stdout });
  const announced = await Promise.race([
    once(lines, 'line').then(([line]) => JSON.parse(line)),
    exited.then(() => undefined),
  ]);
  if (!announced)
    throw new Error('The PostgreSQL and Redis for the tests could not be started; the reason is printed above.');

  // The run can end without teardown, by a failure or an interruption: these handles must not keep the process alive.
  for (const part of [server, server.stdin, server.stdout]) part.unref();
  const before = { TEST_POSTGRES_URL: process.env.TEST_POSTGRES_URL, TEST_REDIS_URL: process.env.TEST_REDIS_URL };
  globalThis[held] = { server, exited, before };
  process.env.TEST_POSTGRES_URL = announced.postgresUrl;
  process.env.TEST_REDIS_URL = announced.redisUrl;
  process.env.TEST_RUN = announced.run;
};
