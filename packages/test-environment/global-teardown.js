const held = Symbol.for('tributary.test-environment.servers');

/** Ends the run's servers, waits until they are gone, and leaves the environment as global-setup found it (watch mode sets up again). */
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
