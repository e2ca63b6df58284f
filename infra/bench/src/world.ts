import { InternalHttp, RecordsClient } from '@tributary/contracts';
import { BareServer } from './bare/bare-server';
import { BareTables } from './bare/bare-tables';
import { LoadGenerator } from './load/load-generator';
import type { LoadResult, Sequence } from './load/sequence';
import type { Options } from './options';
import type { Person } from './people/person';
import { renderProfile, summarizeProfile } from './profile/cpu-profile';
import { InspectedProcess, inspectorPortOffset } from './profile/inspector';
import { type BenchClient, type BenchUser, createClient, createUsers, deleteUsers } from './suite/actors';
import type { BenchSuite } from './suite/bench-suite';
import { ProcessorTime, millisecondsEach, parentOf, summarized } from './suite/processor-time';

const topFunctions = 15;
const defaultInspectorPort = 9229;

/** What came of a load, and what part of the processors each process had. */
export interface MeasuredLoad extends LoadResult {
  rate: number;
  /** How many processors each part kept busy. */
  busy: ReadonlyMap<string, number>;
  /** The same as text. */
  processors: string;
  /** Processor time of a request in milliseconds, of all processes but those that make the load. */
  millisecondsEach: number;
}

/** What a load has other than the options say. */
export interface LoadShape {
  /** Who is asked instead of the FHIR store. */
  origin?: string;
  connections?: number;
  seconds?: number;
  warmUpSeconds?: number;
}

/** Everything that scenarios measure with: the suite, the bare database, the load process, the profiler. */
export class World {
  /** Users with records, once they are loaded. */
  people: Person[] = [];
  /** The last profile of each piece of work, as text. */
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
    readonly say: (message: string) => void,
  ) {
    this.records = new RecordsClient(
      new InternalHttp({
        service: 'fhir-store',
        baseUrl: `http://127.0.0.1:${suite.addresses.port('fhir-store internal')}`,
        caller: 'ingestion-worker',
        key: suite.running.environments['ingestion-worker']?.['SERVICE_KEY'] ?? '',
      }),
    );
  }

  static async open(suite: BenchSuite, options: Options, say: (message: string) => void): Promise<World> {
    const client = await createClient(suite);
    const bare = new BareTables(suite.running.environments['fhir-store']?.['DATABASE_URL'] ?? '');
    await bare.create();
    const { rows } = await bare.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new World(
      suite,
      options,
      client,
      bare,
      await BareServer.start(bare, options.connections),
      new LoadGenerator(),
      parentOf(rows[0]?.pid ?? 0),
      say,
    );
  }

  /** The public address of the FHIR store, without the gateway. */
  get fhirOrigin(): string {
    return `http://127.0.0.1:${this.suite.addresses.port('fhir-store')}`;
  }

  pidOf(service: string): number {
    return this.suite.running.pids[service] ?? 0;
  }

  async newUsers(count: number): Promise<BenchUser[]> {
    const users = await createUsers(this.suite, this.client, count);
    this.#users.push(...users);
    return users;
  }

  /** Sends requests to the suite for the time of the options. */
  async measure(
    name: string,
    sequences: Sequence[],
    { origin = this.fhirOrigin, ...load }: LoadShape = {},
  ): Promise<MeasuredLoad> {
    return this.profiled(name, () => this.#load(origin, sequences, load));
  }

  /** The same to the bare routes. */
  async measureBare(sequences: Sequence[], load: LoadShape = {}): Promise<MeasuredLoad> {
    return this.#load(this.bareServer.origin, sequences, load);
  }

  /** Does the work, and takes a profile of the chosen service meanwhile. */
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

  /** What part of the processors each process has from now on. */
  processorTime(): ProcessorTime {
    const parts = new Map(Object.entries(this.suite.running.pids).map(([name, pid]) => [pid, name]));
    parts.set(this.generator.pid, 'load').set(this.bareServer.pid, 'bare route').set(process.pid, 'bench');
    return new ProcessorTime(parts, this.postmaster);
  }

  /** Ends what was started here; a suite that runs on gets rid of the bench's users. */
  async close(): Promise<void> {
    this.#inspected?.close();
    await this.generator.stop();
    await this.bareServer.stop();
    await this.bare.close();
    if (!this.suite.own) await deleteUsers(this.suite, this.client, this.#users);
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
    return { ...result, rate, busy, processors: summarized(busy), millisecondsEach: millisecondsEach(busy, rate) };
  }
}
