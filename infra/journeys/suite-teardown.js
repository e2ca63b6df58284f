const { once } = require('node:events');
const { rmSync } = require('node:fs');

module.exports = async () => {
  const suite = globalThis.journeySuite;
  if (!suite) return;
  const exited = once(suite.process, 'exit');
  suite.process.kill('SIGTERM');
  await exited;
  if (!process.env.JOURNEY_KEEP) rmSync(suite.folder, { recursive: true, force: true });
};
