import { setMaxListeners } from 'node:events';
import type { Fault } from './faults/fault';
import type { Workload } from './load/workload';
import { CollectingUser } from './load/collecting-user';
import { DirectoryReader } from './load/directory-reader';
import { Http } from './load/http';
import { RecordUser } from './load/record-user';
import { RefreshingUser } from './load/refreshing-user';
import { sourceSizes } from './load/source-records';
import { Traffic } from './load/traffic';
import { UserCreator } from './load/user-creator';
import { type ClientCredentials, createUser } from './load/users';
import type { WebhookReceiver } from './load/webhook-receiver';
import type { Random } from '@tributary/test-environment';
import { Findings } from './findings';
import type { Row } from './table';
import type { ChaosSuite } from './suite/chaos-suite';
import { pause } from './pause';

const recordUsers = 3;
const refreshingUsers = 3;
const collections = 3;
const scenarios = ['', '', 'page-fails-once', 'concurrency-limit-2', 'next-expired'] as const;
/** The suite has recovered when no request has failed for this time. */
const quietSeconds = 5;
const setupSeconds = 300;
/** How long to wait for recovery before giving up. */
const recoveryTimeoutSeconds = 300;
/** The maximum duration of collections after the end of the load, and of the comparison. */
const settleTimeoutSeconds = 600;

interface RoundContext {
  suite: ChaosSuite;
  client: ClientCredentials;
  webhooks: WebhookReceiver;
  random: Random;
  /** The duration of each fault. */
  seconds: number;
  log(message: string): void;
  /** Ends the run early. */
  signal: AbortSignal;
}

/** One fault under load, with the ledger of what the suite acknowledged. */
export class Round {
  readonly #traffic = new Traffic();
  readonly #notes: string[] = [];
  readonly #findings: Findings;
  #workloads: Workload[] = [];
  #recoverySeconds = 0;

  constructor(
    private readonly context: RoundContext,
    readonly fault: Fault,
    /** The number of the round in its run; each round has its own users. */
    private readonly number: number,
  ) {
    this.#findings = new Findings(context.signal);
  }

  /** Puts load on the suite, injects the fault, waits for recovery, and compares everything with the ledger. */
  async run(): Promise<void> {
    const { fault, context } = this;
    const { signal } = context;
    context.log(`${fault.name}: making users`);
    const accessToken = await this.#createWorkloads();
    const load = new AbortController();
    const loadSignal = AbortSignal.any([signal, load.signal]);
    setMaxListeners(0, loadSignal);
    const runs = this.#workloads.map((workload) => workload.run(loadSignal));
    const running = Promise.all(runs);
    try {
      await Promise.race([running, this.#untilQuiet(performance.now(), 0)]);
      context.log(`${fault.name}: injecting`);
      const faultContext = {
        suite: context.suite,
        random: context.random.fork(),
        accessToken,
        seconds: context.seconds,
        signal,
        note: (text: string) => void this.#notes.push(text),
      };
      await fault.inject(faultContext);
      const ended = performance.now();
      context.log(`${fault.name}: waiting for recovery`);
      const recovered = await Promise.race([running.then(() => false), this.#untilQuiet(ended, quietSeconds)]);
      this.#recoverySeconds = recovered
        ? Math.max(0, (this.#traffic.lastFailureAt - ended) / 1000)
        : Number.POSITIVE_INFINITY;
    } finally {
      load.abort();
      await Promise.allSettled(runs);
    }
    await running;
    context.log(`${fault.name}: comparing with the ledger`);
    await this.check();
  }

  /** Compares all data with the ledger. It can be repeated. */
  async check(): Promise<void> {
    const deadline = this.#within(settleTimeoutSeconds);
    const http = new Http(new Traffic());
    await Promise.all(this.#workloads.map((workload) => workload.check(http, deadline)));
  }

  /** Marks the round as not completed: the suite did not recover, or a response could not be read. */
  fail(error: unknown): void {
    this.#recoverySeconds = Number.POSITIVE_INFINITY;
    this.#notes.push(`not completed: ${error instanceof Error ? error.message : 'unknown reason'}`);
  }

  row(): Row {
    const { requests, errors } = this.#traffic;
    return {
      fault: this.fault.name,
      requests,
      errors,
      recoverySeconds: this.#recoverySeconds,
      findings: this.#findings,
      notes: [`ledger: ${this.#ledger()}`, ...this.#notes, ...this.#traffic.causes()],
    };
  }

  #ledger(): string {
    const sums = new Map<string, number>();
    for (const workload of this.#workloads)
      for (const [what, count] of Object.entries(workload.ledger())) sums.set(what, (sums.get(what) ?? 0) + count);
    return [...sums].map(([what, count]) => `${count} ${what}`).join(', ');
  }

  /** @returns the access token of a user outside the load */
  async #createWorkloads(): Promise<string> {
    const { suite, client, webhooks, seconds } = this.context;
    const { ready } = suite.running;
    const random = this.context.random.fork();
    const load = { ready, client, webhooks, http: new Http(this.#traffic), findings: this.#findings };
    const uncounted = { ready, client, http: new Http(new Traffic()) };
    const deadline = this.#within(setupSeconds);
    const user = (role: string, number = 0) =>
      createUser(uncounted, `${this.number}-${this.fault.name}-${role}-${number}`, deadline);
    const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
    const plan = () => ({
      username: random.pick(Object.keys(sourceSizes)),
      scenario: random.pick(scenarios),
      afterMs: random.below(seconds * 500),
    });
    this.#workloads = await Promise.all([
      ...numbers(recordUsers).map(async (number) => new RecordUser(load, await user('record', number), random.fork())),
      ...numbers(refreshingUsers).map(async (number) => new RefreshingUser(load, await user('refresh', number))),
      new UserCreator(load, `${this.number}-${this.fault.name}-new`),
      user('directory').then((one) => new DirectoryReader(load, one)),
      ...numbers(this.fault.collections ?? collections).map(
        async (number) => new CollectingUser(load, await user('collect', number), plan()),
      ),
    ]);
    return (await user('hostile')).accessToken;
  }

  /**
   * Waits until every operation has succeeded since `time`, and none has failed for some time.
   * @returns false after the timeout
   */
  async #untilQuiet(since: number, seconds: number): Promise<boolean> {
    const { signal } = this.context;
    const operations = [...new Set(this.#workloads.flatMap((workload) => workload.operations))];
    const deadline = performance.now() + recoveryTimeoutSeconds * 1000;
    while (performance.now() < deadline && !signal.aborted) {
      const quietSince = Math.max(since, this.#traffic.lastFailureAt);
      if (performance.now() - quietSince >= seconds * 1000 && this.#traffic.haveSucceeded(operations, quietSince))
        return true;
      await pause(50, signal);
    }
    return false;
  }

  #within(seconds: number): AbortSignal {
    const deadline = AbortSignal.any([this.context.signal, AbortSignal.timeout(seconds * 1000)]);
    setMaxListeners(0, deadline);
    return deadline;
  }
}
