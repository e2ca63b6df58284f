// What belongs to which command. A test file that no part names runs in npm test.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repository } from '../local/bootstrap.mjs';

const worker = (...names) => names.map((name) => `services/ingestion-worker/src/collection/${name}.test.ts`);
const journeys = (...names) => names.map((name) => `infra/journeys/src/journeys/${name}.test.ts`);
const isolation = (...names) => names.map((name) => `infra/journeys/src/isolation/${name}.test.ts`);

/**
 * The parts of npm run test:full.
 * - `files`: test files, which npm test leaves out. A part with a command leaves them to the command.
 * - `again`: test files of npm test, which runs some of their tests, records or scenarios (TEST_SMOKE); here all.
 * - `command`: arguments of node, for tests that choose their own servers and files.
 * - `changes`: the paths whose changes need the part.
 * @type {{name: string, what: string, files?: string[], again?: string[], command?: string[], changes: RegExp[]}[]}
 */
export const parts = [
  {
    name: 'containers',
    what: 'images, docker-compose.yml and journeys with two replicas of each service; needs a container engine',
    files: ['infra/compose/src/resolved-forms.test.ts', 'infra/compose/src/secrets.test.ts'],
    command: ['infra/compose/test.mjs', '--representative'],
    changes: [
      /^docker-compose\.yml$/,
      /^infra\/(?:compose|docker|gateway|postgres|monitoring)\//,
      /^package-lock\.json$/,
    ],
  },
  {
    name: 'tls',
    what: 'journeys with TLS on every connection',
    files: journeys('tls'),
    command: ['infra/journeys/test-form.mjs', 'tls', '--representative'],
    changes: [/\/transport\//, /tls/i, /^infra\/gateway\//, /^packages\/(?:certificates|outbound)\//, /\/databases\//],
  },
  ...['cluster', 'sentinel'].map((mode) => ({
    name: `redis-${mode}`,
    what: `journeys with two replicas of each service on ${mode === 'cluster' ? 'a Redis Cluster' : 'Redis Sentinel'}`,
    command: ['infra/journeys/test-form.mjs', `redis-${mode}`, '--representative'],
    changes: [/redis/, /queue/, /rate-limit/],
  })),
  {
    name: 'object-storage',
    what: 'journeys with attachments above 1 MB in an object storage',
    command: ['infra/journeys/test-form.mjs', 'object-storage', '--representative'],
    changes: [/object-storage/, /content-objects/, /large-content/, /binary/, /attach/],
  },
  {
    name: 'pgbouncer',
    what: 'journeys with two replicas of each service behind PgBouncer in transaction mode; needs pgbouncer',
    command: ['infra/journeys/test-form.mjs', 'pgbouncer', '--representative'],
    changes: [/pgbouncer/, /\/databases?\//, /migration/, /statements?\.ts$/],
  },
  {
    name: 'read-replica',
    what: 'journeys with exports from a streaming replica of PostgreSQL',
    command: ['infra/journeys/test-form.mjs', 'read-replica', '--representative'],
    changes: [/snapshot/, /^services\/analytics-export\/src\//, /^packages\/record-storage\/src\/export\//],
  },
  {
    name: 'postgres-15',
    what: 'storage on the oldest PostgreSQL that is supported; needs /usr/lib/postgresql/15/bin or TEST_OLDEST_POSTGRES_BIN',
    command: ['infra/postgres/test-version.mjs', process.env.TEST_OLDEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'],
    changes: [
      /migration/,
      /tables\.ts$/,
      /\/(?:database|schema|postgres)\//,
      /statements?\.ts$/,
      /^packages\/record-storage\//,
    ],
  },
  {
    name: 'servers',
    what: 'the PostgreSQL and Redis of the local suite and of tests: started, stopped, killed, left over, replicated; PgBouncer',
    files: [
      'packages/local-databases/src/postgres.test.ts',
      'packages/local-databases/src/redis.test.ts',
      'infra/local/src/suite/postgres.test.ts',
      'packages/record-storage/src/foreign-partitions.test.ts',
      'packages/service-kit/src/databases/replicated-redis.test.ts',
      'packages/test-environment/src/serve.test.ts',
      ...['auth', 'fhir-store', 'user-management'].map((service) => `services/${service}/src/pgbouncer.test.ts`),
    ],
    changes: [/^packages\/(?:local-databases|test-environment)\//, /\/(?:databases?|postgres)\//, /postgres\.ts$/],
  },
  {
    name: 'limits',
    what: 'as much as the limits of tables, bodies and attachments allow',
    files: [
      'packages/audit-log/src/schema/audit-schema-limits.test.ts',
      'services/fhir-store/src/interactions/conditional/large-delete.test.ts',
      'services/fhir-store/src/interactions/large-binary.test.ts',
      'services/ingestion-worker/src/collection/references/attachment-memory.test.ts',
      ...journeys('large-attachments'),
    ],
    changes: [
      /^packages\/audit-log\/src\/schema\//,
      /body-parsers/,
      /binary/,
      /conditional/,
      /attach/,
      /content-objects/,
      /large-content/,
    ],
  },
  {
    name: 'faults',
    what: 'kills, hangs and restarts of services and databases under load',
    files: ['infra/chaos/src/short-form.test.ts'],
    changes: [/^infra\/chaos\//, /\/(?:databases|runtime|queue)\//],
  },
  {
    name: 'history',
    what: 'the history of each resource after random concurrent writes and kills of fhir-store',
    files: ['infra/chaos/src/history/history.test.ts'],
    changes: [/^infra\/chaos\/src\/history\//, /^packages\/record-storage\/src\/(?:write|read|postgres)\//],
  },
  {
    name: 'history-forms',
    what: 'the same on a Redis Cluster, Redis Sentinel, PgBouncer, with exports from a replica, with an object storage',
    files: ['infra/chaos/src/history/forms.test.ts'],
    changes: [
      /^infra\/chaos\/src\/history\//,
      /redis/,
      /pgbouncer/,
      /replica/,
      /object-storage/,
      /content-objects/,
      /^packages\/record-storage\/src\/postgres\//,
    ],
  },
  {
    name: 'collections',
    what: 'all scenarios of health systems; kills, outages and overload of ingestion-worker',
    files: worker(
      'broken-types',
      'connections',
      'crashes',
      'heavy-pages',
      'hosts',
      'hung-redis',
      'kill',
      'large-attachments',
      'lost-locks',
      'outages',
      'slow-hosts',
      'waiting-collections',
    ),
    again: worker('scenarios'),
    changes: [/^services\/ingestion-worker\/(?:src|test)\//],
  },
  {
    name: 'outages',
    what: 'connects and collections that are interrupted, services that hang or are killed, keys that rotate',
    files: [
      'services/auth/src/outages.test.ts',
      ...journeys('audit', 'interruptions', 'keys', 'redis-failover', 'stuck-downstreams', 'database-dump'),
    ],
    changes: [/\/(?:queue|checkpoints|keys|runtime)\//, /^packages\/key-/],
  },
  {
    name: 'records',
    what: 'whole records in three releases: stored, converted, searched and exported; a real directory',
    files: [
      ...['conversion', 'search', 'validation'].map((name) => `packages/fhir-${name}/src/real-records.test.ts`),
      'services/analytics-export/src/conversion/real-records.test.ts',
      'services/fhir-store/src/interactions/conversion/real-records.test.ts',
      'services/fhir-store/src/real-records.test.ts',
      'services/fhir-store/test/conformance/properties/combinations.test.ts',
      'services/sandbox-health-system/src/records/real-records.test.ts',
      'services/search/src/real-directory.test.ts',
      ...journeys('mcp-records'),
    ],
    again: [
      'packages/record-storage/src/search/memory/search-in-memory.test.ts',
      ...journeys('collection', 'export', 'records'),
    ],
    changes: [
      /^packages\/(?:fhir-|record-storage)/,
      /^services\/fhir-store\/(?:src|test)\//,
      /^services\/sandbox-health-system\/src\/records\//,
      /^services\/search\/src\//,
    ],
  },
  {
    name: 'browser',
    what: 'every page in a browser',
    files: journeys(
      'connect-everybody',
      'connect-package',
      'connect-pages',
      'developer-console-access',
      'developer-console-operator',
      'developer-console-pages',
      'developer-console-replicas',
      'documentation',
      'sdk-example',
    ),
    again: journeys('connect-hosted'),
    changes: [
      /page/,
      /^services\/(?:console|documentation)\//,
      /^packages\/(?:connect|sdk\/example)\//,
      /^infra\/docs\//,
    ],
  },
  {
    name: 'clients',
    what: 'the OpenAPI documents, generated clients, and clients of other makers',
    files: [
      'services/auth/src/public-clients.test.ts',
      'services/fhir-store/test/conformance/clients/clients.test.ts',
      'services/user-management/src/connect/oidc-provider.test.ts',
      ...journeys('bruno', 'clients', 'openapi-clients', 'openapi-documents', 'openapi-examples', 'guides', 'sdk'),
    ],
    changes: [
      /openapi/i,
      /^packages\/(?:contracts|sdk)\//,
      /^infra\/api-clients\//,
      /routes?\.ts$/,
      /^services\/auth\/src\/(?:client-authentication|token-endpoint)\//,
      /^services\/fhir-store\/src\/(?:endpoint|fhir-http|interactions)\//,
      /^services\/user-management\/src\/(?:connect|grants)\//,
    ],
  },
  {
    name: 'commands',
    what: "the operator's commands of the README, and what a test of a registration explains",
    files: journeys('operators-commands', 'registration-scenarios'),
    changes: [/commands?\.ts$/, /\/admin\.ts$/, /^README\.md$/, /^infra\/local\//, /registration/],
  },
  {
    name: 'isolation',
    what: 'every operation and route with the credentials of others, and with hostile requests',
    files: [
      ...isolation('console-records', 'fhir-routes', 'internal-routes', 'public-routes', 'tools'),
      ...journeys('hostile-requests'),
    ],
    changes: [/routes?\.ts$/, /^infra\/journeys\/src\/isolation\//, /authori[sz]ation|tokens?\//],
  },
];

/** The test files that npm test runs, as paths below the repository. */
export function defaultTestFiles() {
  const elsewhere = new Set(parts.flatMap(({ files = [] }) => files));
  return allTestFiles().filter((file) => !elsewhere.has(file));
}

/** All test files, as paths below the repository. */
function allTestFiles() {
  return ['packages', 'services', 'infra'].flatMap((parent) =>
    readdirSync(join(repository, parent)).flatMap((project) =>
      ['src', 'test'].flatMap((folder) => testFilesIn(join(repository, parent, project, folder))),
    ),
  );
}

/** The parts that a change of these paths needs. */
export function partsForChanges(paths) {
  return parts.filter(({ files = [], changes }) =>
    paths.some((path) => files.includes(path) || changes.some((one) => one.test(path))),
  );
}

function testFilesIn(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(repository, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}
