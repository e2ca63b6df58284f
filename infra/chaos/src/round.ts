import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './faults/fault';
import type { Actor } from './load/actor';
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
import type { Random } from './random';
import { Findings } from './report/finding';
import type { Row } from './report/table';
import type { ChaosSuite } from './suite/chaos-suite';

const recordUsers = 3;
const refreshingUsers = 3;
const collections = 3;
const scenarios = ['', '', 'page-fails-once', 'two-at-once', 'next-expired'] as const;
/** The load is quiet when no request has failed for so long. */
const quietSeconds = 5;
const setupSeconds = 300;

export interface RoundOptions {
  seconds: number;
  /** How long to wait for recovery before giving up. */
  patienceSeconds: number;
  /** How long collections may take after the load has ended, and everything be compared. */
  settleSeconds: number;
}

interface World {
  suite: ChaosSuite;
  client: ClientCredentials;
  webhooks: WebhookReceiver;
  random: Random;
  say(message: string): void;
}

/** One fault under load, and what was acknowledged meanwhile. */
export class Round {
  readonly #traffic = new Traffic();
  readonly #notes: string[] = [];
  readonly #findings = new Findings();
  #actors: Actor[] = [];
  #recoverySeconds = 0;

  constructor(
    private readonly world: World,
    readonly fault: Fault,
    /** Which round of the run this is; its users are its own. */
    private readonly number: number,
    private readonly options: RoundOptions,
  ) {}

  /** Puts load on the suite, injects the fault, waits for recovery, and compares everything with the ledger. */
  async run(signal: AbortSignal): Promise<void> {
    const { fault, world } = this;
    world.say(`${fault.name}: making users`);
    const accessToken = await this.#makeActors(signal);
    const load = new AbortController();
    const loadSignal = AbortSignal.any([signal, load.signal]);
    setMaxListeners(0, loadSignal);
    const runs = this.#actors.map((actor) => actor.run(loadSignal));
    const running = Promise.all(runs);
    try {
      await Promise.race([running, this.#untilQuiet(performance.now(), 0, signal)]);
      world.say(`${fault.name}: injecting`);
      const context = {
        suite: world.suite,
        random: world.random.fork(),
        accessToken,
        seconds: this.options.seconds,
        signal,
        note: (text: string) => void this.#notes.push(text),
      };
      await fault.inject(context);
      const ended = performance.now();
      world.say(`${fault.name}: waiting for recovery`);
      const recovered = await Promise.race([running.then(() => false), this.#untilQuiet(ended, quietSeconds, signal)]);
      this.#recoverySeconds = recovered
        ? Math.max(0, (this.#traffic.lastFailureAt - ended) / 1000)
        : Number.POSITIVE_INFINITY;
    } finally {
      load.abort();
      await Promise.allSettled(runs);
    }
    await running;
    world.say(`${fault.name}: comparing with the ledger`);
    await this.check(signal);
  }

  /** Compares everything with the ledger; can be done again. */
  async check(signal: AbortSignal): Promise<void> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(this.options.settleSeconds * 1000)]);
    setMaxListeners(0, deadline);
    const http = new Http(new Traffic());
    const found = await Promise.all(this.#actors.map((actor) => actor.check(http, deadline)));
    if (!signal.aborted) for (const findings of found) this.#findings.addAll(findings);
  }

  /** Notes that the round could not be carried through: the suite did not come back, or an answer could not be read. */
  fail(error: unknown): void {
    this.#recoverySeconds = Number.POSITIVE_INFINITY;
    this.#notes.push(`could not be carried through: ${error instanceof Error ? error.message : 'unknown reason'}`);
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
    for (const actor of this.#actors)
      for (const [what, count] of Object.entries(actor.ledger())) sums.set(what, (sums.get(what) ?? 0) + count);
    return [...sums].map(([what, count]) => `${count} ${what}`).join(', ');
  }

  /** @returns the access token of a user who takes no part in the load */
  async #makeActors(signal: AbortSignal): Promise<string> {
    const { suite, client, webhooks } = this.world;
    const random = this.world.random.fork();
    const http = new Http(this.#traffic);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(setupSeconds * 1000)]);
    setMaxListeners(0, deadline);
    const user = (role: string, number = 0) =>
      createUser(
        suite,
        client,
        `${this.number}-${this.fault.name}-${role}-${number}`,
        new Http(new Traffic()),
        deadline,
      );
    const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
    const plan = () => ({
      username: random.pick(Object.keys(sourceSizes)),
      scenario: random.pick(scenarios),
      afterMs: random.below(this.options.seconds * 500),
    });
    this.#actors = await Promise.all([
      ...numbers(recordUsers).map(
        async (number) => new RecordUser(suite, await user('record', number), http, random.fork()),
      ),
      ...numbers(refreshingUsers).map(
        async (number) => new RefreshingUser(suite, client, await user('refresh', number), http),
      ),
      new UserCreator(suite, client, `${this.number}-${this.fault.name}-new`, http),
      user('directory').then((one) => new DirectoryReader(suite, one, http)),
      ...numbers(this.fault.collections ?? collections).map(
        async (number) => new CollectingUser(suite, client, await user('collect', number), plan(), webhooks, http),
      ),
    ]);
    return (await user('hostile')).accessToken;
  }

  /**
   * Waits until every operation has succeeded since then, and none has failed for some time.
   * @returns false when patience ended first
   */
  async #untilQuiet(since: number, seconds: number, signal: AbortSignal): Promise<boolean> {
    const operations = [...new Set(this.#actors.flatMap((actor) => actor.operations))];
    const deadline = performance.now() + this.options.patienceSeconds * 1000;
    while (performance.now() < deadline && !signal.aborted) {
      const quietSince = Math.max(since, this.#traffic.lastFailureAt);
      if (performance.now() - quietSince >= seconds * 1000 && this.#traffic.haveSucceeded(operations, quietSince))
        return true;
      await pause(50, undefined, { signal }).catch(() => undefined);
    }
    return false;
  }
}
