/**
 * Redis spoken by JavaScript, as a process that is started and ended like the real one: it reads its configuration
 * from standard input (and heeds only the port and the password) and listens on 127.0.0.1 alone.
 * Plain JavaScript, so that it starts from the sources as well as from the build.
 */
const { text } = require('node:stream/consumers');
const { createRedisCommandExecutor, RedisServerState, Resp2Server } = require('js-redis-server/core');

async function serve() {
  const lines = (await text(process.stdin)).split('\n').map((line) => line.split(' '));
  const settings = Object.fromEntries(lines.map(([name, ...values]) => [name, values.join(' ')]));
  const state = new RedisServerState({ databaseCount: 16, requirepass: settings.requirepass });
  const { server } = new Resp2Server({ server: state, executor: createRedisCommandExecutor(), logger: console });
  server.once('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  server.listen({ port: Number(settings.port), host: '127.0.0.1' });
  process.once('SIGTERM', () => process.exit(0));
}

serve();
