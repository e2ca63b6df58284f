import { setTimeout as wait } from 'node:timers/promises';
import type { FhirVersion } from '@tributary/contracts';
import type { Pool } from 'pg';
import { bumpVersion } from '../directory/read-directory';
import { releaseOfVersion } from '../loading/release';
import { Tally } from '../tally';
import { claim, releaseClaims, saveMetadata, saveFailure, selectDue } from './endpoint-checks';
import { forEachByHost } from './for-each-by-host';
import type { EndpointProbe, ProbeResult } from './probe-endpoint';

export interface VerifyOptions {
  pool: Pool;
  probe: EndpointProbe;
  /** Addresses to check, as `normalizedBase` writes them, with the releases that the directory gives them. */
  addresses: Map<string, FhirVersion[]>;
  /** Repeats checks whose result is from before this time, although they are not due. */
  recheckBefore?: Date | undefined;
  /** Requests at a time, over all hosts and at one. */
  concurrency: { overall: number; perHost: number };
  onProgress?: (progress: VerifyProgress) => void;
}

export interface VerifyProgress {
  done: number;
  total: number;
  failed: number;
}

export interface VerifyReport {
  /** Number of addresses, and of those whose check was due. */
  addresses: number;
  due: number;
  answered: number;
  failed: number;
  /** Checked by another run at the same time. */
  elsewhere: number;
  /** Number of responses by `CapabilityStatement.fhirVersion`; `unknown` stands for none. */
  fhirVersions: Record<string, number>;
  smart: Record<string, number>;
  problems: { problem: string; count: number; examples: string[] }[];
  /** Endpoints that serve another release than the directory says. */
  otherRelease: { count: number; examples: string[] };
  seconds: number;
}

/** No host responded, so the network of this machine is the more likely cause. Nothing was stored. */
export class NoHostResponded extends Error {
  override readonly name = 'NoHostResponded';
  constructor(hosts: number) {
    super(`none of the first ${hosts} hosts responds; is this machine connected to the internet? Nothing was stored`);
  }
}

/** After this number of hosts without a response, and none with one, the run ends with `NoHostResponded`. */
const maxUnreachableHosts = 10;
/** After this number of consecutive failures to reach a host, its other endpoints are not probed. */
const maxHostFailures = 5;
const hostUnreachable = 'its host does not respond';
const bumpEveryMs = 30_000;

/**
 * Probes endpoints, and stores the results one by one. A run that is killed loses only the checks in progress, and the
 * next run continues with those that are due. Concurrent runs share the work.
 * @throws NoHostResponded
 */
export async function verifyEndpoints(options: VerifyOptions): Promise<VerifyReport> {
  const { pool, addresses, concurrency, onProgress } = options;
  const began = performance.now();
  const due = await selectDue(pool, [...addresses.keys()], options.recheckBefore);
  const run = new Run(options);
  try {
    await forEachByHost(due, concurrency, async (address, host) => {
      await run.check(address, host);
      onProgress?.({ done: run.done, total: due.length, failed: run.failed });
    });
  } catch (error) {
    await run.abandon();
    throw error;
  }
  await run.finish();
  return run.report({
    addresses: addresses.size,
    due: due.length,
    seconds: Math.round(performance.now() - began) / 1000,
  });
}

interface HostState {
  unreachable: number;
  pausedUntil: number;
}

class Run {
  done = 0;
  failed = 0;
  #answered = 0;
  #elsewhere = 0;
  readonly #hosts = new Map<string, HostState>();
  readonly #unreachableHosts = new Set<string>();
  /** Failures to reach a host, which are stored once any host has responded. */
  #held: { address: string; problem: string }[] = [];
  #anyReached = false;
  #hasChanged = false;
  #bumpedAt = performance.now();
  readonly #fhirVersions = new Map<string, number>();
  readonly #smart = new Map<string, number>();
  readonly #problems = new Tally<{ problem: string }>();
  readonly #otherRelease = new Tally<object>();

  constructor(private readonly options: VerifyOptions) {}

  async check(address: string, host: string): Promise<void> {
    const { pool, recheckBefore } = this.options;
    this.done++;
    if (!(await claim(pool, address, recheckBefore))) {
      this.#elsewhere++;
      return;
    }
    const state = this.#hosts.get(host) ?? { unreachable: 0, pausedUntil: 0 };
    this.#hosts.set(host, state);
    if (state.unreachable >= maxHostFailures) {
      this.#countProblem(address, hostUnreachable);
      return this.#storeFailure(address, hostUnreachable);
    }
    const result = await this.#probeWithRetry(address, state);
    state.unreachable = result.reached ? 0 : state.unreachable + 1;
    if (result.reached) await this.#storeHeld();
    else this.#unreachableHosts.add(host);
    if (result.status === 'succeeded') {
      this.#count(address, result.facts.fhirVersion, result.facts.smart);
      await this.#bumpIf(await saveMetadata(pool, address, result.facts));
    } else {
      const { status } = result;
      const problem = status === 'throttled' ? 'the host is throttling requests' : result.problem;
      this.#countProblem(address, problem);
      // A host that throttles requests is available; the check stays due.
      if (status === 'failed') await this.#storeFailure(address, problem);
    }
  }

  /** Waits for the delay that the host has requested, and repeats a throttled probe once. */
  async #probeWithRetry(address: string, state: HostState): Promise<ProbeResult> {
    const { probe } = this.options;
    await wait(Math.max(0, state.pausedUntil - performance.now()));
    const result = await probe.probe(address);
    if (result.status !== 'throttled') return result;
    state.pausedUntil = Math.max(state.pausedUntil, performance.now() + result.retryAfterMs);
    await wait(result.retryAfterMs);
    return probe.probe(address);
  }

  #countProblem(address: string, problem: string): void {
    this.failed++;
    this.#problems.add({ problem }, address);
  }

  async #storeFailure(address: string, problem: string): Promise<void> {
    if (this.#anyReached) await this.#bumpIf(await saveFailure(this.options.pool, address, { problem }));
    else {
      this.#held.push({ address, problem });
      if (this.#unreachableHosts.size >= maxUnreachableHosts) throw new NoHostResponded(this.#unreachableHosts.size);
    }
  }

  /** Stores the failures from before the first response, which shows that the network of this machine works. */
  async #storeHeld(): Promise<void> {
    this.#anyReached = true;
    const held = this.#held;
    this.#held = [];
    for (const { address, problem } of held)
      await this.#bumpIf(await saveFailure(this.options.pool, address, { problem }));
  }

  #count(address: string, fhirVersion: string | null, smart: string): void {
    this.#answered++;
    increment(this.#fhirVersions, fhirVersion ?? 'unknown');
    increment(this.#smart, smart);
    const stated = this.options.addresses.get(address) ?? [];
    const served = fhirVersion === null ? undefined : releaseOfVersion(fhirVersion);
    if (served === undefined || stated.length === 0 || stated.some((release) => release === served)) return;
    this.#otherRelease.add({}, `${address}: ${fhirVersion}, not ${stated.join(', ')}`);
  }

  /** Lets the replicas rank again, at most twice a minute, when the availability of an endpoint has changed. */
  async #bumpIf(changed: boolean): Promise<void> {
    this.#hasChanged ||= changed;
    if (!this.#hasChanged || performance.now() - this.#bumpedAt < bumpEveryMs) return;
    await this.#bump();
  }

  async #bump(): Promise<void> {
    this.#hasChanged = false;
    this.#bumpedAt = performance.now();
    await this.options.pool.query(bumpVersion);
  }

  async finish(): Promise<void> {
    await this.#storeHeld();
    if (this.#hasChanged) await this.#bump();
  }

  /** Leaves the endpoints whose failures are not stored to the next run. */
  async abandon(): Promise<void> {
    await releaseClaims(
      this.options.pool,
      this.#held.map(({ address }) => address),
    );
  }

  report(totals: Pick<VerifyReport, 'addresses' | 'due' | 'seconds'>): VerifyReport {
    return {
      ...totals,
      answered: this.#answered,
      failed: this.failed,
      elsewhere: this.#elsewhere,
      fhirVersions: Object.fromEntries(this.#fhirVersions),
      smart: Object.fromEntries(this.#smart),
      problems: this.#problems.sorted(),
      otherRelease: this.#otherRelease.sorted()[0] ?? { count: 0, examples: [] },
    };
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
