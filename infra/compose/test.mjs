// npm run test:compose: follows the commands of deployment.md and runbook-keys.md (infra/docs/operations) in a copy of
// the repository: two replicas of each service over TLS, whose certificates, a password and a key are replaced. Then it
// runs the journeys against them, starts the form for development, and removes everything again. Further words go to
// jest, such as the name of a journey. With --representative it runs a few journeys that together use every service. It
// needs Docker with compose, OpenSSL, curl and jq.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRepresentative, selectedJourneys } from '../journeys/selected-journeys.mjs';
import { note, prepare, repository } from '../local/bootstrap.mjs';
import { copyRepository, recipeOf, runRecipe } from './test/recipe.mjs';

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
const folder = mkdtempSync(join(tmpdir(), 'compose-'));
const copy = join(folder, 'repository');
const [deployment, runbook] = ['deployment.md', 'runbook-keys.md'].map((document) =>
  join(copy, 'infra', 'docs', 'operations', document),
);
const authority = join(folder, 'tributary', 'tls', 'ca.crt');
const base = Number(process.env.COMPOSE_PORT_BASE ?? 16_000);
const records = join(folder, 'records');
const data = process.env.TRIBUTARY_DATA ?? join(repository, '..', 'shared', 'data');
makeRecords(records, data, isRepresentative ? 'representative' : 'all', true);

const ports = {
  BASE_PORT: String(base),
  AUTH_PORT: String(base + 1),
  SEARCH_PORT: String(base + 2),
  ANALYTICS_PORT: String(base + 3),
  SANDBOX_PORT: String(base + 4),
  MAIL_PORT: String(base + 5),
};
const environment = {
  ...raisedLimits,
  // A journey exceeds this limit.
  RATE_LIMIT_PER_HOUR: '300',
  SECRET_ACTIVATION_SECONDS: '10',
  ...process.env,
  COMPOSE_PROJECT_NAME: 'tributary-test',
  ...ports,
  POSTGRES_UID: userOf(process.env.POSTGRES_IMAGE ?? 'postgres:18-bookworm', 'postgres'),
  REDIS_UID: userOf(process.env.REDIS_IMAGE ?? 'redis:7-bookworm', 'redis'),
  SANDBOX_RECORDS: '/records',
  SANDBOX_RECORDS_FOLDER: records,
};

/** The number of a user in an image. */
function userOf(image, user) {
  return spawnSync('docker', ['run', '--rm', '--entrypoint=id', image, '-u', user], { encoding: 'utf8' }).stdout.trim();
}

/** What an operator changes: the public addresses and the folders; and a wait, by SECRET_ACTIVATION_SECONDS. */
const ownValues = [
  ['api.example.org:8443', `localhost:${ports.AUTH_PORT}`],
  ['api.example.org:8444', `localhost:${ports.SEARCH_PORT}`],
  ['api.example.org:8445', `localhost:${ports.ANALYTICS_PORT}`],
  ['api.example.org:4004', `localhost:${ports.SANDBOX_PORT}`],
  ['api.example.org:4005', `localhost:${ports.MAIL_PORT}`],
  ['https://api.example.org', `https://localhost:${ports.BASE_PORT}`],
  ['api.example.org', 'localhost'],
  ['/etc/tributary', join(folder, 'tributary')],
  ['PASSWORD@mail.example.org', `${randomBytes(16).toString('hex')}@mail.example.org`],
  ['sleep 310', 'sleep 20'],
];
const withOwnValues = (text) => ownValues.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);

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
  'console',
];

function docker(words, timeout, stdio = ['ignore', 2, 2]) {
  const options = { cwd: copy, env: environment, stdio, timeout, encoding: 'utf8', maxBuffer: 1 << 30 };
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
  'grants',
  'isolation/public-routes',
  'isolation/fhir-routes',
  'isolation/tools',
]);

const imagesOfNode = [...services, 'sandbox-health-system', 'sandbox-mail', 'provision'];
/** How much an image may be larger than its base, in bytes. */
const maxAboveBase = 120e6;

/** @throws Error when an image is too large */
function checkSizes() {
  const sizeOf = (image) =>
    Number(printed(['image', 'inspect', '--format', '{{.Size}}', image], `the size of ${image}`));
  const bases = [
    [process.env.NODE_IMAGE ?? 'node:24-bookworm-slim', imagesOfNode],
    [process.env.DEBIAN_IMAGE ?? 'debian:bookworm-slim', ['gateway']],
  ];
  for (const [baseImage, names] of bases)
    for (const name of names) {
      const above = sizeOf(`tributary/${name}`) - sizeOf(baseImage);
      note(`the image of ${name} has ${Math.round(above / 1e6)} MB above ${baseImage}`);
      if (above > maxAboveBase) throw new Error(`the image of ${name} is too large`);
    }
}

/** @throws Error when an image has a file that it must not contain */
function checkImages() {
  const lock = readLockFile(repository);
  const find = ['/', '-xdev', '(', '-type', 'f', '-o', '-type', 'l', ')'];
  for (const name of imagesOfNode) {
    const run = ['run', '--rm', '--user=0', '--network=none', '--entrypoint=find', `tributary/${name}`, ...find];
    const files = printed(run, `listing the files of ${name}`).split('\n');
    if (!files.includes('/usr/local/bin/node')) throw new Error(`the files of ${name} are not listed completely`);
    const workspace = lock.workspace(name === 'provision' ? 'infra/compose' : `services/${name}`);
    const forbidden = findForbiddenFiles(files, lock.withNeeds(workspace));
    if (forbidden.length > 0) throw new Error(`the image of ${name} has ${forbidden.slice(0, 10).join(', ')}`);
  }
}

/** @throws Error when a container is not confined, or another port is open than those of the gateway and sandboxes */
function checkContainers() {
  const ids = printed(['compose', 'ps', '--all', '--quiet'], 'docker compose ps').split('\n').filter(Boolean);
  const inspected = printed(['inspect', ...ids], 'docker inspect');
  // Two replicas of each service, PostgreSQL, Redis, the gateway, the sandboxes and the jobs.
  if (ids.length < 2 * services.length + 15) throw new Error(`only ${ids.length} containers were found`);
  const unconfined = findUnconfined(inspected);
  if (unconfined.length > 0) throw new Error(`containers are not confined: ${unconfined.join('; ')}`);
  const open = JSON.parse(inspected).flatMap(({ NetworkSettings }) =>
    Object.values(NetworkSettings.Ports).flatMap((bindings) => (bindings ?? []).map(({ HostPort }) => HostPort)),
  );
  const others = open.filter((port) => !Object.values(ports).includes(port));
  if (others.length > 0) throw new Error(`further ports are open: ${others.join(', ')}`);
}

/** @throws Error when a test of this workspace fails: the forms that compose resolves, certificates and secrets */
function runOwnTests() {
  const cwd = join(repository, 'infra', 'compose');
  must(spawnSync(process.execPath, [jestScript], { cwd, stdio: ['ignore', 2, 2] }), 'the tests of infra/compose');
}

/** What the journeys know of the suite: client and health system of the commands before, and the certificates. */
const writeReady = withOwnValues(`
curl -sf https://api.example.org:4004/sandbox/patients | jq --arg id "$CLIENT_ID" --arg secret "$CLIENT_SECRET" --argjson system "$SYSTEM" '{
  base_url: "https://api.example.org", auth_url: "https://api.example.org:8443",
  search_url: "https://api.example.org:8444", analytics_url: "https://api.example.org:8445",
  mail_url: "https://api.example.org:4005",
  client: { client_id: $id, client_secret: $secret, redirect_uri: "https://api.example.org:4004/demo/connected" },
  sandbox: { health_system_id: $system, patients: . }
}' > ready.json
mkdir certificates
for address in localhost:${ports.BASE_PORT} localhost:${ports.SANDBOX_PORT}; do
  openssl s_client -connect $address </dev/null 2>/dev/null | openssl x509 > certificates/$address.crt
done`);

function journeys() {
  note('testing the forms that compose resolves, and the job of the secrets');
  runOwnTests();
  note('following deployment.md and runbook-keys.md in infra/docs/operations');
  copyRepository(repository, copy);
  const settings = join(copy, 'infra', 'compose', 'production.env');
  writeFileSync(settings, withOwnValues(readFileSync(settings, 'utf8')));
  const recipe = [deployment, runbook].flatMap((document) => recipeOf(document, 'recipe')).map(withOwnValues);
  runRecipe([...recipe, writeReady], { cwd: copy, env: environment, timeout: 40 * minute });
  note('checking the images and the containers');
  checkSizes();
  checkImages();
  checkContainers();
  const ids = printed(['compose', 'ps', '--quiet', 'postgres'], 'docker compose ps');
  const [postgres] = JSON.parse(printed(['inspect', ids.trim()], 'docker inspect'));
  const [{ IPAddress: address }] = Object.values(postgres.NetworkSettings.Networks);
  const passwordFile = join(folder, 'tributary', 'secrets', 'made', 'postgres-password');
  const password = readFileSync(passwordFile, 'utf8').trim().split('\n').at(-1);
  note('running the journeys');
  const jest = spawnSync(process.execPath, [jestScript, ...selected, '--testPathIgnorePatterns', ...sameEverywhere], {
    cwd: join(repository, 'infra', 'journeys'),
    env: {
      ...environment,
      TEST_SUMMARY_SUFFIX: ' in containers',
      JOURNEY_READY: join(copy, 'ready.json'),
      JOURNEY_RECORDS: records,
      JOURNEY_ADMIN: `node ${join(repository, 'infra', 'compose', 'admin.mjs')}`,
      JOURNEY_DATABASE_URL: Object.assign(new URL(`postgres://postgres@${address}:5432`), { password }).href,
      JOURNEY_DATABASE_CA_FILE: authority,
      COMPOSE_ENV_FILES: join(copy, '.env'),
      NODE_EXTRA_CA_CERTS: authority,
      TRIBUTARY_CERTIFICATES: join(copy, 'certificates'),
      CURL_CA_BUNDLE: authority,
      SSL_CERT_FILE: authority,
    },
    stdio: ['ignore', 2, 2],
    // Only a run that hangs reaches this limit.
    timeout: 120 * minute,
  });
  must(jest, 'the journeys');
}

/** Starts the form for development by the commands of its document. */
async function startDevelopment() {
  note('starting the form for development');
  rmSync(join(copy, '.env'));
  runRecipe(recipeOf(deployment, 'development'), { cwd: copy, env: environment, timeout: 20 * minute });
  for (const port of Object.values(ports).slice(0, 4)) {
    const { status } = await fetch(`http://127.0.0.1:${port}/healthz`);
    if (status !== 200) throw new Error(`/healthz at port ${port} answers ${status}`);
  }
}

/** The form for development has all containers and volumes. */
function removeAll() {
  const words = ['compose', '--env-file', 'infra/compose/development.env', 'down', '--volumes', '--remove-orphans'];
  docker(words, 3 * minute);
}

let failed = false;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    removeAll();
    process.exit(130);
  });
try {
  journeys();
  removeAll();
  await startDevelopment();
  note('the journeys hold in containers');
} catch (error) {
  failed = true;
  note(error.message);
  docker(['compose', 'ps', '-a'], minute);
  docker(['compose', 'logs', '--tail', '40'], minute);
} finally {
  removeAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
