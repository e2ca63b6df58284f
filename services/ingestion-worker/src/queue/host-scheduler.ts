import type { RedisClient } from '@tributary/service-kit';
import { randomUUID } from 'node:crypto';
import { hostSchedulerScript } from './host-scheduler-script';

/**
 * What an attempt has learned about its host: it responded, it did not respond to anything, or nothing was requested.
 */
export type HostOutcome = 'responded' | 'unreachable' | 'unknown';

export interface HostSchedulerOptions {
  /** The prefix of all keys. */
  prefix: string;
  /** How many collections this worker runs at once. */
  slots: number;
  /** How long a permit lasts without renewal, and how often it is renewed, in milliseconds. */
  permitMs: number;
  renewalMs: number;
  /**
   * How long no collection of an unreachable host starts, in milliseconds. The time doubles with each unreachable
   * attempt in a row.
   */
  backoffMs: { first: number; max: number };
}

const commandName = 'tributaryHostScheduler';
type Command = (prefix: string, ...values: (string | number)[]) => Promise<[number, ...string[]]>;

/** The pseudo-host of collections that have crashed their process: as many of them run at once as there are workers. */
export const isolatedHost = '(isolated)';

/**
 * Decides which collections may run. All workers share the state in Redis (`hostSchedulerScript`).
 *
 * - A host has at most as many permits as slots are free, so that a host with many collections, or a slow one, always
 *   leaves slots to other hosts; alone it has half of the slots.
 * - A collection without a permit waits in Redis. When a slot is free, the host with the fewest permits comes first,
 *   and of its collections the one that was queued first: its job is promoted.
 * - An unreachable host backs off for a growing time; then a single collection tries it.
 *
 * BullMQ has no such scheduling: groups with concurrency limits are part of its commercial edition, and know no
 * fairness between groups.
 */
export class HostScheduler {
  readonly #worker = randomUUID();
  /** Members of `running` that this worker holds and renews. */
  readonly #permits = new Set<string>();
  readonly #heartbeat: NodeJS.Timeout;

  /**
   * @param redis a connection whose commands fail soon while Redis is unavailable
   * @param promote moves the job of a waiting collection, which has a permit now, to the queue. Resolves to whether the
   * job exists. When it rejects, the collection waits again once its permit has expired
   */
  constructor(
    private readonly redis: RedisClient,
    private readonly options: HostSchedulerOptions,
    private readonly promote: (collectionId: string) => Promise<boolean>,
  ) {
    redis.defineCommand(commandName, { numberOfKeys: 1, lua: hostSchedulerScript });
    this.#heartbeat = setInterval(() => void this.#renew(), options.renewalMs).unref();
    void this.#renew();
  }

  /**
   * Requests a permit. Never waits: without a permit the collection is remembered as waiting, and promoted later.
   * @param queuedAt epoch milliseconds
   * @throws when Redis is unavailable
   */
  async acquire(host: string, collectionId: string, queuedAt: number): Promise<boolean> {
    const isGranted = await this.#run('acquire', host, collectionId, queuedAt);
    if (isGranted) this.#permits.add(memberOf(host, collectionId));
    return isGranted;
  }

  /** Whether a collection that was to wait has got a permit meanwhile. @throws when Redis is unavailable */
  async hasPermit(host: string, collectionId: string): Promise<boolean> {
    return this.#run('hasPermit', host, collectionId);
  }

  /** Gives a permit back. While Redis is unavailable, the permit expires instead. */
  async release(host: string, collectionId: string, outcome: HostOutcome): Promise<void> {
    this.#permits.delete(memberOf(host, collectionId));
    const { first, max } = this.options.backoffMs;
    await this.#run('release', host, collectionId, outcome, first, max).catch(() => undefined);
  }

  /** Stops renewing a permit without giving it back: another worker may run the collection with it. */
  abandon(host: string, collectionId: string): void {
    this.#permits.delete(memberOf(host, collectionId));
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#run('close').catch(() => undefined);
  }

  async #renew(): Promise<void> {
    await this.#run('heartbeat', ...this.#permits).catch(() => undefined);
  }

  async #run(operation: string, ...values: (string | number)[]): Promise<boolean> {
    const { prefix, slots, permitMs } = this.options;
    const command = (this.redis as unknown as Record<typeof commandName, Command>)[commandName];
    const [result, ...promoted] = await command.call(
      this.redis,
      prefix,
      operation,
      this.#worker,
      slots,
      permitMs,
      ...values,
    );
    for (const member of promoted) void this.#promote(member).catch(() => undefined);
    return result === 1;
  }

  async #promote(member: string): Promise<void> {
    const end = member.lastIndexOf('|');
    const [host, collectionId] = [member.slice(0, end), member.slice(end + 1)];
    if (!(await this.promote(collectionId))) await this.release(host, collectionId, 'unknown');
  }
}

function memberOf(host: string, collectionId: string): string {
  return `${host}|${collectionId}`;
}
