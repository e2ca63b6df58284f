import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { hostScheduleScript } from './host-schedule-script';

/** What an attempt found out about its host: it answered, it answered nothing, or it was not asked. */
export type HostAnswer = 'answered' | 'silent' | 'unknown';

export interface HostScheduleOptions {
  /** Before all keys. */
  prefix: string;
  /** How many collections this worker has under way at most. */
  slots: number;
  /** How long a permit is good that nobody renews, in milliseconds. */
  permitMs: number;
  /** How long a host rests that answered nothing, in milliseconds: the first time, and at most. The time doubles each time. */
  restMs: { first: number; longest: number };
}

const commandName = 'tributaryHostSchedule';
type Command = (prefix: string, ...values: (string | number)[]) => Promise<[number, ...string[]]>;

/** Of collections that crashed their process: they run in a process of their own, one per worker. */
export const isolatedHost = '(isolated)';

/**
 * Says when a collection may begin. All workers share one schedule in Redis. A host has no more collections under way than it leaves
 * free slots for others, so that a host with many collections, or a slow one, always leaves slots to others; alone it has half of them.
 * Whoever may not begin waits in Redis, and costs nothing until it is called: when a slot is free, the host with the fewest collections
 * comes first, and of its collections the one that was queued first. A host that answers nothing rests for a growing time; after that
 * one collection tries it.
 */
export class HostSchedule {
  readonly #worker = randomUUID();
  readonly #admitted = new Set<string>();
  readonly #beat: NodeJS.Timeout;

  /**
   * @param redis a connection whose commands fail soon while Redis is away
   * @param call brings a waiting collection back from the queue: it has a permit. Tells whether the queue still knows it; when it rejects,
   *   the collection is called again after its permit has ended
   */
  constructor(
    private readonly redis: Redis,
    private readonly options: HostScheduleOptions,
    private readonly call: (collectionId: string) => Promise<boolean>,
  ) {
    redis.defineCommand(commandName, { numberOfKeys: 1, lua: hostScheduleScript });
    this.#beat = setInterval(() => void this.#renew(), options.permitMs / 5).unref();
    void this.#renew();
  }

  /**
   * Asks for a permit. Without one the collection waits for its call.
   * @param since when it was queued, in epoch milliseconds
   * @throws when Redis is away
   */
  async admit(host: string, collectionId: string, since: number): Promise<boolean> {
    const isAdmitted = await this.#run('admit', host, collectionId, since);
    if (isAdmitted) this.#admitted.add(memberOf(host, collectionId));
    return isAdmitted;
  }

  /** Whether a collection that was to wait got its permit meanwhile. @throws when Redis is away */
  async isAdmitted(host: string, collectionId: string): Promise<boolean> {
    return this.#run('isAdmitted', host, collectionId);
  }

  /** Gives a permit back. While Redis is away it ends by itself. */
  async leave(host: string, collectionId: string, answer: HostAnswer): Promise<void> {
    this.#admitted.delete(memberOf(host, collectionId));
    const { first, longest } = this.options.restMs;
    await this.#run('leave', host, collectionId, answer, first, longest).catch(() => undefined);
  }

  /** Another worker may have the collection by now, with this permit. */
  abandon(host: string, collectionId: string): void {
    this.#admitted.delete(memberOf(host, collectionId));
  }

  async close(): Promise<void> {
    clearInterval(this.#beat);
    await this.#run('close').catch(() => undefined);
  }

  async #renew(): Promise<void> {
    await this.#run('beat', ...this.#admitted).catch(() => undefined);
  }

  async #run(operation: string, ...values: (string | number)[]): Promise<boolean> {
    const { prefix, slots, permitMs } = this.options;
    const command = (this.redis as unknown as Record<typeof commandName, Command>)[commandName];
    const [result, ...called] = await command.call(
      this.redis,
      prefix,
      operation,
      this.#worker,
      slots,
      permitMs,
      ...values,
    );
    for (const member of called) void this.#call(member).catch(() => undefined);
    return result === 1;
  }

  async #call(member: string): Promise<void> {
    const end = member.lastIndexOf('|');
    const [host, collectionId] = [member.slice(0, end), member.slice(end + 1)];
    if (!(await this.call(collectionId))) await this.leave(host, collectionId, 'unknown');
  }
}

function memberOf(host: string, collectionId: string): string {
  return `${host}|${collectionId}`;
}
