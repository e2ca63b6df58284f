import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findExecutable } from '@tributary/local-databases';
import { type Service, services } from '@tributary/postgres';
import { z } from 'zod';
import { startHaproxy } from '../gateway/haproxy';
import { Addresses, requireFreePorts } from './addresses';
import type { SuiteCertificates } from './certificates';
import { SuiteProcess } from './child-process';
import { runAdmin } from './commands';
import { get } from './get';
import type { Home } from './home';
import { startSuiteObjectStorage } from './object-storage';
import { startSuitePostgres } from './postgres';
import { commonEnvironment, serviceEnvironment, suiteProcesses } from './processes';
import { type ReadyEvent, type RunningSuite, readyEvent } from './running';
import { type RedisMode, startSuiteRedis, redisSettingsOf } from './redis';
import { sandboxBrands } from './sandbox-directory';
import { SupervisedServer } from './supervised-server';

export interface StartOptions {
  repository: string;
  home: Home;
  portBase: number;
  /** The number of processes of each service; 1 by default. */
  replicas?: number | undefined;
  /** The ports of proxies through which the services connect to the databases. */
  databaseProxies?: { postgres: number; redis: number } | undefined;
  recordsDirectory?: string | undefined;
  /** One server of Redis by default. */
  redis?: RedisMode | undefined;
  /** Whether large attachments are in an object storage, and not in PostgreSQL. */
  hasObjectStorage?: boolean;
  /** Whether the services reach PostgreSQL through PgBouncer. */
  hasPgBouncer?: boolean;
  /** Whether exports read records from a streaming replica of PostgreSQL. */
  hasReadReplica?: boolean;
  /** With them, everything is reached over TLS. */
  certificates?: SuiteCertificates | undefined;
  /** Whether the services keep an audit log; they do by default. The bench measures its cost by leaving it out. */
  isAudited?: boolean;
  /** Variables for every process. */
  inherited: Record<string, string>;
  /** Receives warnings for the operator, such as a restarted process or the use of an emulation of Redis. */
  warn(message: string): void;
}

export interface Suite {
  running: RunningSuite;
  /** The current process id of each process, including `postgres` and `redis`; 0 for one that does not run. */
  pids(): Record<string, number>;
  /** Stops all processes in an order that loses no data. */
  stop(): Promise<void>;
}

/** The maximum time in which processes of a killed runner end by themselves. */
const leftBehindEndsMs = 30_000;

const installHaproxy = 'Install it with `apt-get install haproxy` or `brew install haproxy`';

type Environments = Record<Service, Record<string, string>>;

const loaded = z.object({ entry: z.array(z.object({ id: z.int(), name: z.string() })) });

/**
 * Starts databases, services, gateway and sandbox, and creates the demo client and the directory. On a failure all
 * started parts are stopped.
 */
export async function startSuite(options: StartOptions): Promise<Suite> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    return { ...(await start(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: StartOptions, stops: (() => Promise<unknown>)[]): Promise<Omit<Suite, 'stop'>> {
  const { repository, home, warn, certificates } = options;
  const addresses = new Addresses(options.portBase, options.replicas, certificates ? 'https' : 'http');
  await requireFreePorts(addresses, home.leftBehind ? leftBehindEndsMs : 0);
  const haproxy = findExecutable('haproxy');
  if (haproxy === undefined && addresses.replicas > 1)
    throw new Error(`several replicas need HAProxy, which balances them. ${installHaproxy}`);
  let gateway: SupervisedServer | undefined;
  let running: RunningSuite | undefined;
  const pids = (): RunningSuite['pids'] => ({
    ...postgres.pids(),
    ...redis.pids(),
    ...Object.fromEntries(processes.map((one) => [one.definition.name, one.pid ?? 0])),
    ...(gateway ? { gateway: gateway.current.pid ?? 0 } : {}),
  });
  const keepPids = (): void => {
    if (running) writeRunning(home, (running = { ...running, pids: pids() }));
  };
  const postgres = await startSuitePostgres({
    home,
    addresses,
    certificates,
    hasPgBouncer: options.hasPgBouncer ?? false,
    hasReadReplica: options.hasReadReplica ?? false,
    stops,
    warn,
    restarted: keepPids,
  });
  const redis = await startSuiteRedis(options.redis ?? 'server', {
    home,
    port: addresses.port('redis'),
    certificates,
    warn,
    restarted: keepPids,
  });
  stops.push(() => redis.stop());
  const objectStorage = options.hasObjectStorage
    ? await startSuiteObjectStorage(home, addresses, certificates)
    : undefined;
  if (objectStorage) stops.push(objectStorage.stop);
  const postgresSettings = { ...postgres.settings, port: options.databaseProxies?.postgres ?? postgres.settings.port };
  const redisSettings = redisSettingsOf(redis, options.databaseProxies?.redis);
  const definitions = suiteProcesses({
    repository,
    home,
    addresses,
    postgres: postgresSettings,
    redis: redisSettings,
    objectStorage,
    inherited: options.inherited,
    recordsDirectory: options.recordsDirectory,
    certificates,
    isAudited: options.isAudited,
    hasHaproxy: haproxy !== undefined,
  });
  const processes = definitions.map((definition) => new SuiteProcess(definition, home.logs, warn, keepPids));
  stops.push(async () => {
    const isGateway = ({ definition }: SuiteProcess): boolean => definition.name === 'gateway';
    await processes.find(isGateway)?.stop();
    await Promise.all(processes.map((process) => process.stop()));
  });
  for (const process of processes) process.start();
  await Promise.all(processes.map((process) => process.untilReady()));
  if (haproxy === undefined) {
    warn(`a slower proxy takes the place of HAProxy. ${installHaproxy}`);
  } else {
    // After the services: HAProxy would find them not ready, and look again seconds later.
    const directory = join(home.root, 'gateway');
    const logFile = join(home.logs, 'gateway.log');
    gateway = await SupervisedServer.start(
      'gateway',
      () => startHaproxy({ executable: haproxy, directory, logFile, addresses, certificates }),
      warn,
      keepPids,
    );
    stops.push(gateway.stop.bind(gateway));
  }
  const environments = Object.fromEntries(
    services.map((service) => [
      service,
      {
        ...commonEnvironment({ addresses, inherited: options.inherited, certificates }),
        ...serviceEnvironment(service, {
          postgres: postgresSettings,
          redis: redisSettings,
          objectStorage,
          home,
          certificates,
        }),
      },
    ]),
  ) as Record<string, Record<string, string>> as Environments;
  const ready = await prepare(options, addresses, environments);
  running = { pid: process.pid, ready, environments, pids: pids() };
  writeRunning(home, running);
  stops.push(() => Promise.resolve(rmSync(home.runningFile, { force: true })));
  return { running, pids };
}

/** Writes the file atomically, since other processes read it at any time. */
function writeRunning(home: Home, running: RunningSuite): void {
  writeFileSync(`${home.runningFile}.new`, JSON.stringify(running, null, 2), { mode: 0o600 });
  renameSync(`${home.runningFile}.new`, home.runningFile);
}

/** Creates the demo client, the registration at the sandbox and the directory. Each may exist from an earlier start. */
async function prepare(
  { repository, home, certificates, warn }: StartOptions,
  addresses: Addresses,
  environments: Environments,
): Promise<ReadyEvent> {
  const client = home.secrets.demoClient;
  const sandboxUrl = addresses.url('sandbox-health-system');
  const redirectUri = `${sandboxUrl}/demo/connected`;
  const brands = sandboxBrands(repository, sandboxUrl);
  if (existsSync(home.sandboxDirectory) && readFileSync(home.sandboxDirectory, 'utf8') !== brands)
    warn(
      'the sandbox has another address than at the last start: connections from before are not collected until their users connect again. Start with --fresh to begin anew',
    );
  writeFileSync(home.sandboxDirectory, brands);
  const exampleDirectory = join(repository, 'services', 'search', 'directory', 'example.brands.json');
  const [, , directory] = await Promise.all([
    runAdmin(
      repository,
      'auth',
      [
        'client',
        'create',
        '--name',
        'Demo',
        '--redirect-uri',
        redirectUri,
        '--client-id',
        client.client_id,
        '--client-secret',
        client.client_secret,
        '--json',
      ],
      environments.auth,
    ),
    runAdmin(
      repository,
      'user-management',
      [
        'registration',
        'set',
        '--host',
        new URL(sandboxUrl).host,
        '--client-id',
        'tributary',
        '--client-secret',
        home.secrets.sandboxClientSecret,
        '--auth-method',
        'client_secret_basic',
      ],
      environments['user-management'],
    ),
    runAdmin(
      repository,
      'search',
      ['directory', 'load', home.sandboxDirectory, '--mode', 'test', '--json'],
      environments.search,
    ).then(async (output) => {
      await runAdmin(
        repository,
        'search',
        ['directory', 'load', exampleDirectory, '--mode', 'test', '--json'],
        environments.search,
      );
      return output;
    }),
  ]);
  const healthSystem = loaded.parse(JSON.parse(directory)).entry[0];
  if (!healthSystem) throw new Error('the sandbox is missing in the directory');
  const { text } = await get(`${sandboxUrl}/sandbox/patients`, certificates?.authority);
  const patients: unknown = JSON.parse(text);
  return readyEvent.parse({
    event: 'ready',
    base_url: addresses.url('gateway'),
    auth_url: addresses.url('auth'),
    search_url: addresses.url('search'),
    analytics_url: addresses.url('analytics-export'),
    mail_url: addresses.url('sandbox-mail'),
    ...(certificates ? { ca_file: certificates.authorityFile } : {}),
    client: { ...client, redirect_uri: redirectUri },
    sandbox: { url: sandboxUrl, health_system_id: healthSystem.id, patients },
  });
}
