// npm run test:compose: builds the images, starts the suite as containers with two replicas of each service, runs the
// journeys against it, and removes everything again. Further words go to jest, such as the name of a journey.
// With --representative it runs a few journeys that together use every service.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRepresentative, selectedJourneys } from '../journeys/selected-journeys.mjs';
import { note, prepare, repository } from '../local/bootstrap.mjs';

const minute = 60_000;
if (
  spawnSync('docker', ['info'], { stdio: 'ignore', timeout: minute }).status !== 0 ||
  spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status !== 0
) {
  note('there is no Docker engine with compose on this machine');
  process.exit(1);
}
prepare();
const require = createRequire(import.meta.url);
const { makeRecords } = require('../journeys/make-records.js');
const { findForbiddenFiles, findUnconfined, readLockFile } = require('@tributary/supply-chain');
const { raisedLimits } = require('@tributary/local');
const folder = mkdtempSync(join(tmpdir(), 'tributary-compose-'));
const base = Number(process.env.COMPOSE_PORT_BASE ?? 16_000);
const address = (offset) => `http://localhost:${base + offset}`;
const records = join(folder, 'records');
const data = process.env.TRIBUTARY_DATA ?? join(repository, '..', 'shared', 'data');
makeRecords(records, data, isRepresentative ? 'representative' : 'all', true);

const environment = {
  ...raisedLimits,
  // A journey exceeds this limit.
  RATE_LIMIT_PER_HOUR: '300',
  ...process.env,
  COMPOSE_PROJECT_NAME: 'tributary-test',
  BASE_PORT: String(base),
  AUTH_PORT: String(base + 1),
  SEARCH_PORT: String(base + 2),
  ANALYTICS_PORT: String(base + 3),
  SANDBOX_PORT: String(base + 4),
  BASE_URL: address(0),
  AUTH_URL: address(1),
  SEARCH_URL: address(2),
  ANALYTICS_URL: address(3),
  SANDBOX_BROWSER_URL: address(4),
  SANDBOX_RECORDS: '/records',
  SANDBOX_RECORDS_FOLDER: records,
};

const services = [
  'auth',
  'search',
  'user-management',
  'fhir-store',
  'analytics-export',
  'ingestion-worker',
  'audit-log',
  'documentation',
  'mcp-server',
];
/** Requests of one journey go to either replica in turn. */
const twoReplicas = services.flatMap((service) => ['--scale', `${service}=2`]);

function docker(words, timeout, stdio = ['ignore', 2, 2]) {
  const options = { cwd: repository, env: environment, stdio, timeout, encoding: 'utf8', maxBuffer: 1 << 30 };
  return spawnSync('docker', words, options);
}

/** What a command of docker prints. */
function printed(words, what) {
  return must(docker(words, 2 * minute, ['ignore', 'pipe', 2]), what).stdout;
}

function must(result, what) {
  if (result.status === 0) return result;
  throw new Error(`${what} failed${result.error ? `: ${result.error.message}` : ''}`);
}

const jestScript = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
/** What does not depend on the deployment, and was tested against the local suite. */
const sameEverywhere = ['/node_modules/', '/dist/', 'openapi-documents', 'openapi-clients', 'openapi-examples'];
const selected = selectedJourneys([
  'sign-in',
  'records',
  'export',
  'health-systems',
  'users',
  'mcp',
  'documentation',
  'audit-api',
]);

/** @throws Error when an image has a file that it must not contain */
function checkImages() {
  const lock = readLockFile(repository);
  const find = ['/', '-xdev', '(', '-type', 'f', '-o', '-type', 'l', ')'];
  for (const name of [...services, 'sandbox-health-system', 'provision']) {
    const run = ['run', '--rm', '--user=0', '--network=none', '--entrypoint=find', `tributary/${name}`, ...find];
    const files = printed(run, `listing the files of ${name}`).split('\n');
    if (!files.includes('/usr/local/bin/node')) throw new Error(`the files of ${name} are not listed completely`);
    const workspace = lock.workspace(name === 'provision' ? 'infra/compose' : `services/${name}`);
    const forbidden = findForbiddenFiles(files, lock.withNeeds(workspace));
    if (forbidden.length > 0) throw new Error(`the image of ${name} has ${forbidden.slice(0, 10).join(', ')}`);
  }
}

/** @throws Error when a container has capabilities, can write to its image or runs as root without need */
function checkContainers() {
  const ids = printed(['compose', 'ps', '--all', '--quiet'], 'docker compose ps').split('\n').filter(Boolean);
  const inspected = printed(['inspect', ...ids], 'docker inspect');
  // Two replicas of each service, PostgreSQL, Redis, the gateway, the sandbox and the jobs.
  if (ids.length < 2 * services.length + 7) throw new Error(`only ${ids.length} containers were found`);
  const unconfined = findUnconfined(inspected);
  if (unconfined.length > 0) throw new Error(`containers are not confined: ${unconfined.join('; ')}`);
}

/** @throws Error when the forms of the files that compose resolves are not as they must be */
function checkResolvedForms() {
  const words = [jestScript, 'resolved-forms'];
  const cwd = join(repository, 'infra', 'compose');
  must(spawnSync(process.execPath, words, { cwd, stdio: ['ignore', 2, 2] }), 'the forms that compose resolves');
}

async function journeys() {
  note('checking the forms that compose resolves');
  checkResolvedForms();
  note('building the images');
  must(docker(['compose', 'build'], 20 * minute), 'docker compose build');
  note('checking the files of the images');
  checkImages();
  note('starting the containers');
  must(docker(['compose', 'up', '--detach', '--wait', ...twoReplicas], 20 * minute), 'docker compose up');
  checkContainers();
  const admin = `node ${join(repository, 'infra', 'compose', 'admin.mjs')}`;
  const redirectUri = `${address(4)}/demo/connected`;
  const made = must(
    docker(
      [
        'compose',
        'exec',
        '-T',
        '--env',
        'AUDIT_OPERATOR=tests',
        'auth',
        'tributary',
        'client',
        'create',
        '--name',
        'Journeys',
        '--redirect-uri',
        redirectUri,
        '--json',
      ],
      minute,
      ['ignore', 'pipe', 2],
    ),
    'client create',
  );
  const { client_id, client_secret } = JSON.parse(made.stdout);
  const patients = await (await fetch(`${address(4)}/sandbox/patients`)).json();
  const ready = {
    base_url: address(0),
    auth_url: address(1),
    search_url: address(2),
    analytics_url: address(3),
    client: { client_id, client_secret, redirect_uri: redirectUri },
    sandbox: { health_system_id: await sandboxId(client_id, client_secret), patients },
  };
  writeFileSync(join(folder, 'ready.json'), JSON.stringify(ready));
  note('running the journeys');
  const jest = spawnSync(process.execPath, [jestScript, ...selected, '--testPathIgnorePatterns', ...sameEverywhere], {
    cwd: join(repository, 'infra', 'journeys'),
    env: {
      ...environment,
      TEST_SUMMARY_SUFFIX: ' in containers',
      JOURNEY_READY: join(folder, 'ready.json'),
      JOURNEY_RECORDS: records,
      JOURNEY_ADMIN: admin,
    },
    stdio: ['ignore', 2, 2],
    // Only a run that hangs reaches this limit.
    timeout: 120 * minute,
  });
  must(jest, 'the journeys');
}

/** The sandbox's id in the directory, found as a user finds it. */
async function sandboxId(client_id, client_secret) {
  const user = await (
    await fetch(`${address(0)}/user-management/v1/user`, {
      method: 'POST',
      headers: { client_id, client_secret },
      body: new URLSearchParams({ app_user_id: `compose-${Date.now()}` }),
    })
  ).json();
  const tokens = await (
    await fetch(`${address(1)}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id, client_secret, code: user.code, grant_type: 'authorization_code' }),
    })
  ).json();
  const found = await (
    await fetch(`${address(2)}/api/search?query=sandbox`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tokens.access_token}` },
    })
  ).json();
  return found.entry[0].id;
}

let failed = false;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(
    signal,
    () => docker(['compose', 'down', '--volumes', '--remove-orphans'], 2 * minute) && process.exit(130),
  );
try {
  await journeys();
  note('the journeys hold in containers');
} catch (error) {
  failed = true;
  note(error.message);
  docker(['compose', 'ps', '-a'], minute);
  docker(['compose', 'logs', '--tail', '40'], minute);
} finally {
  docker(['compose', 'down', '--volumes', '--remove-orphans'], 3 * minute);
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
