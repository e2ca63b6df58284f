const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { raisedLimits } = require('@tributary/local');
const { makeRecords } = require('./make-records');

const repository = join(__dirname, '..', '..');

/** Journeys with a suite of their own use ports up to 1000 above. */
const portBases = process.env.JOURNEY_PORT_BASE
  ? [process.env.JOURNEY_PORT_BASE]
  : ['14000', '18000', '19000', '20000'];

/** The words of `npm start` for each form in which the suite runs. */
const forms = {
  plain: [],
  tls: ['--tls'],
  'redis-cluster': ['--redis', 'cluster', '--replicas', '2'],
  'redis-sentinel': ['--redis', 'sentinel', '--replicas', '2'],
  'object-storage': ['--object-storage'],
  pgbouncer: ['--pgbouncer', '--replicas', '2'],
  'read-replica': ['--read-replica'],
};
exports.forms = forms;

/**
 * Starts the whole suite as `npm start` does, on data of its own and on the first range of ports that is free.
 * @param form one of `forms`
 * @param selection the records that its sandbox serves (makeRecords)
 * @returns the variables with which the journeys find it, and how it is stopped
 */
exports.startSuite = async function startSuite(form, selection) {
  for (const [index, portBase] of portBases.entries()) {
    try {
      return await startOn(portBase, form, selection);
    } catch (error) {
      if (!/is in use/.test(error.message) || index === portBases.length - 1) throw error;
    }
  }
};

async function startOn(portBase, form, selection) {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-journeys-'));
  const records = join(folder, 'records');
  makeRecords(records, process.env.TRIBUTARY_DATA ?? join(repository, '..', 'shared', 'data'), selection);
  const home = join(folder, 'home');
  const certificates = form === 'tls' ? { TRIBUTARY_CERTIFICATES: join(folder, 'tls') } : {};
  const environment = {
    ...raisedLimits,
    // A journey exceeds this limit.
    RATE_LIMIT_PER_HOUR: '300',
    ...process.env,
    ...certificates,
    TRIBUTARY_HOME: home,
    PORT_BASE: portBase,
    LOG_LEVEL: 'info',
  };
  const words = ['start', '--json', '--fresh', '--records', records, ...forms[form]];
  const suite = spawn(process.execPath, [join(repository, 'infra', 'local', 'dist', 'main.js'), ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  suite.stderr.on('data', (chunk) => (said += chunk));
  const ready = await new Promise((resolve, reject) => {
    let line = '';
    suite.stdout.on('data', (chunk) => {
      line += chunk;
      if (line.includes('\n')) resolve(JSON.parse(line.slice(0, line.indexOf('\n'))));
    });
    suite.once('exit', (code) => reject(new Error(`the suite ended (${code}) before it was ready:\n${said}`)));
  });
  const file = join(folder, 'ready.json');
  writeFileSync(file, JSON.stringify(ready));
  return {
    ready,
    variables: {
      ...certificates,
      JOURNEY_READY: file,
      JOURNEY_RECORDS: records,
      JOURNEY_HOME: home,
      JOURNEY_PORT_BASE: portBase,
    },
    stop: async () => {
      if (suite.exitCode === null) {
        const exited = once(suite, 'exit');
        suite.kill('SIGTERM');
        await exited;
      }
      if (!process.env.JOURNEY_KEEP) rmSync(folder, { recursive: true, force: true });
    },
  };
}
