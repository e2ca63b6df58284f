// Starts the whole suite once for all journeys, as `npm start` does, on ports and data of its own; or takes the one
// that JOURNEY_READY names (a ready line in a file).
const { spawn } = require('node:child_process');
const { mkdtempSync, readFileSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { raisedLimits } = require('@tributary/local');
const { makeRecords } = require('./make-records');

const repository = join(__dirname, '..', '..');

module.exports = async () => {
  if (process.env.JOURNEY_READY) return;
  const folder = mkdtempSync(join(tmpdir(), 'tributary-journeys-'));
  const portBase = process.env.JOURNEY_PORT_BASE ?? '14000';
  const records = join(folder, 'records');
  makeRecords(records, process.env.TRIBUTARY_DATA ?? join(repository, '..', 'shared', 'data'));
  const environment = {
    ...raisedLimits,
    // A journey exceeds this limit.
    RATE_LIMIT_PER_HOUR: '300',
    ...process.env,
    TRIBUTARY_HOME: join(folder, 'home'),
    PORT_BASE: portBase,
    LOG_LEVEL: 'info',
  };
  const suite = spawn(
    process.execPath,
    [join(repository, 'infra', 'local', 'dist', 'main.js'), 'start', '--json', '--fresh', '--records', records],
    { env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  suite.stderr.on('data', (chunk) => (said += chunk));
  const ready = await new Promise((resolve, reject) => {
    let line = '';
    suite.stdout.on('data', (chunk) => {
      line += chunk;
      if (line.includes('\n')) resolve(line.slice(0, line.indexOf('\n')));
    });
    suite.once('exit', (code) => reject(new Error(`the suite ended (${code}) before it was ready:\n${said}`)));
  });
  const file = join(folder, 'ready.json');
  writeFileSync(file, ready);
  process.env.JOURNEY_READY = file;
  process.env.JOURNEY_RECORDS = records;
  process.env.JOURNEY_HOME = environment.TRIBUTARY_HOME;
  process.env.JOURNEY_PORT_BASE = portBase;
  globalThis.journeySuite = { process: suite, folder };
  JSON.parse(readFileSync(file, 'utf8'));
};
