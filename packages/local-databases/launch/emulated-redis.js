/**
 * An emulation of Redis in JavaScript, which is started and stopped like the real server: it reads its configuration
 * from standard input, of which it uses only the port and the password, and listens on 127.0.0.1. It is plain
 * JavaScript, so that it runs from the sources and from the build alike.
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
