import { readFileSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import { InternalHttp, RecordsClient } from '@tributary/contracts';
import { BareServer } from './bare/bare-server';
import { BareTables } from './bare/bare-tables';
import { LoadGenerator } from './load/load-generator';
import type { LoadResult, Sequence } from './load/sequence';
import type { Options } from './options';
import type { Person } from './people/person';
import { renderProfile, summarizeProfile } from './profile/cpu-profile';
import { InspectedProcess, inspectorPortOffset } from './profile/inspector';
import { type BenchClient, type BenchUser, createClient, createUsers, deleteUsers } from './suite/users';
import type { BenchSuite } from './suite/bench-suite';
import { ProcessorTime, microsecondsEach, millisecondsEach, parentOf } from './suite/processor-time';

const topFunctions = 15;
const defaultInspectorPort = 9229;

/** The result of a load, with the processor time of each process. */
export interface MeasuredLoad extends LoadResult {
  rate: number;
  /** The processor time of a request in each process, as text. */
  processors: string;
  /** Milliseconds of processor time per request, over all processes except those that generate the load. */
  millisecondsEach: number;
}

/** Overrides of the options for one load. */
export interface LoadShape {
  /** The origin that receives the requests; {base_url} without it. */
  origin?: string;
  connections?: number;
  seconds?: number;
  warmUpSeconds?: number;
}

/** The URL of the database of a service, with all that a connection needs. */
function databaseUrlOf(environment: Record<string, string>): string {
  const { DATABASE_URL = '', DATABASE_PASSWORD = '', DATABASE_CA_FILE: authority } = environment;
  const url = Object.assign(new URL(DATABASE_URL), { password: DATABASE_PASSWORD });
  if (authority !== undefined) url.search = `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`;
  return url.href;
}

/** The certificate of a service; undefined without TLS. */
function identityOf(environment: Record<string, string>): SecureContextOptions | undefined {
  const { TLS_CERTIFICATE_FILE: cert, TLS_KEY_FILE: key, TLS_CA_FILE: ca } = environment;
  if (cert === undefined || key === undefined || ca === undefined) return undefined;
  return { cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) };
}

/** The tools of the scenarios: the suite, the bare database, the load process, the profiler. */
export class BenchContext {
  /** Users whose records are stored. */
  people: Person[] = [];
  /** The last profile of each scenario, as text. */
  readonly profiles = new Map<string, string>();
  readonly records: RecordsClient;
  readonly #users: BenchUser[] = [];
  #inspected: InspectedProcess | undefined;

  private constructor(
    readonly suite: BenchSuite,
    readonly options: Options,
    readonly client: BenchClient,
    readonly bare: BareTables,
    readonly bareServer: BareServer,
    private readonly generator: LoadGenerator,
    private readonly postmaster: number,
    readonly log: (message: string) => void,
  ) {
    const worker = suite.running.environments['ingestion-worker'] ?? {};
    const identity = identityOf(worker);
    this.records = new RecordsClient(
      new InternalHttp({
        service: 'fhir-store',
        baseUrl: suite.addresses.url('fhir-store internal'),
        caller: 'ingestion-worker',
        key: worker['SERVICE_KEY'] ?? '',
        ...(identity ? { tls: () => identity } : {}),
      }),
    );
  }

  static async open(suite: BenchSuite, options: Options, log: (message: string) => void): Promise<BenchContext> {
    const client = await createClient(suite);
    const bare = new BareTables(databaseUrlOf(suite.running.environments['fhir-store'] ?? {}));
    await bare.create();
    const { rows } = await bare.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new BenchContext(
      suite,
      options,
      client,
      bare,
      await BareServer.start(bare, options.connections),
      new LoadGenerator(),
      parentOf(rows[0]?.pid ?? 0),
      log,
    );
  }

  /** {base_url}: the gateway. */
  get origin(): string {
    return this.suite.running.ready.base_url;
  }

  pidOf(service: string): number {
    return this.suite.running.pids[service] ?? 0;
  }

  async newUsers(count: number): Promise<BenchUser[]> {
    const users = await createUsers(this.suite, this.client, count);
    this.#users.push(...users);
    return users;
  }

  /** Sends requests to the suite and measures the responses, for the duration that the options set. */
  async measure(
    name: string,
    sequences: Sequence[],
    { origin = this.origin, ...load }: LoadShape = {},
  ): Promise<MeasuredLoad> {
    return this.profiled(name, () => this.#load(origin, sequences, load));
  }

  /** Measures work, and before and after it how many requests per second an empty Express route answers. */
  async besideEmpty<T>(work: () => Promise<T>): Promise<{ result: T; empty: number }> {
    const before = await this.#emptyRate();
    const result = await work();
    return { result, empty: (before + (await this.#emptyRate())) / 2 };
  }

  /** Sends requests to the bare routes. */
  async measureBare(sequences: Sequence[], load: LoadShape = {}): Promise<MeasuredLoad> {
    return this.#load(this.bareServer.origin, sequences, load);
  }

  /** Records a CPU profile of the chosen service while the work runs. */
  async profiled<T>(name: string, work: () => Promise<T>): Promise<T> {
    const service = this.options.profile;
    if (!service) return work();
    this.#inspected ??= await InspectedProcess.open(
      this.pidOf(service),
      this.suite.own ? this.options.portBase + inspectorPortOffset : defaultInspectorPort,
    );
    await this.#inspected.start();
    try {
      return await work();
    } finally {
      this.profiles.set(
        name,
        renderProfile(`${service} during ${name}`, summarizeProfile(await this.#inspected.stop(), topFunctions)),
      );
    }
  }

  /** Starts to measure the processor time of each process. */
  processorTime(): ProcessorTime {
    const parts = new Map(Object.entries(this.suite.running.pids).map(([name, pid]) => [pid, name]));
    parts.set(this.generator.pid, 'load').set(this.bareServer.pid, 'bare route').set(process.pid, 'bench');
    return new ProcessorTime(parts, this.postmaster);
  }

  /** Stops the processes of the bench. In a suite that keeps running it deletes the users of the bench. */
  async close(): Promise<void> {
    this.#inspected?.close();
    await this.generator.stop();
    await this.bareServer.stop();
    await this.bare.close();
    if (!this.suite.own) await deleteUsers(this.suite, this.client, this.#users);
  }

  async #emptyRate(): Promise<number> {
    const empty: Sequence = [{ method: 'GET', path: '/empty', headers: {}, expect: 204 }];
    return (await this.measureBare([empty], { seconds: 2, warmUpSeconds: 0.5 })).rate;
  }

  async #load(
    origin: string,
    sequences: Sequence[],
    { connections = this.options.connections, seconds = this.options.seconds, warmUpSeconds = 1 }: LoadShape,
  ): Promise<MeasuredLoad> {
    const time = this.processorTime();
    const result = await this.generator.run({ origin, connections, warmUpSeconds, seconds, sequences });
    const busy = time.busy();
    const rate = result.requests / result.seconds;
    return {
      ...result,
      rate,
      processors: microsecondsEach(busy, rate),
      millisecondsEach: millisecondsEach(busy, rate),
    };
  }
}
