const held = Symbol.for('tributary.test-environment.servers');

/**
 * Stops the servers of the run, waits until they have ended, and restores the environment, because watch mode runs
 * global-setup again.
 */
module.exports = async function stopServers() {
  const servers = globalThis[held];
  if (!servers) return;
  delete globalThis[held];
  delete process.env.TEST_RUN;
  for (const [name, value] of Object.entries(servers.before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  servers.server.ref();
  servers.server.stdin.end();
  await servers.exited;
};
