import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setImmediate as afterOtherEvents, setTimeout as pause } from 'node:timers/promises';
import { type Block, noPrevious, sealBlock } from '../block/block';
import { maxEventsPerBlock } from '../block/block-limits';
import { wrapStreamKey } from '../block/stream-key';
import { type AuditEvent, type NewAuditEvent, eventIdOf } from '../event/audit-event';
import { type AuditTrail, AuditUnavailable } from './audit-trail';
import { BlockTable, type BlockTableOptions, type NewStream } from './block-table';
import { EventCounter } from './event-counter';
import { RefusalRate } from './refusal-rate';

export interface AuditWriterOptions extends BlockTableOptions {
  /** The service whose process records events. */
  service: string;
  /** The version of its software. */
  version: string;
  /** The public key that wraps the key of the stream (SubjectPublicKeyInfo in base64). */
  sealingKey: string;
  /** How long an event may wait until it is durable, in milliseconds; 5,000 by default. */
  timeoutMs?: number;
  /** How many events may wait; 10,000 by default. */
  maxWaiting?: number;
}

/** SQLSTATE of a block whose stream is missing. */
const foreignKeyViolation = '23503';

/** An event that is not durable yet. */
interface Waiting {
  readonly event: AuditEvent;
  /** Monotonic milliseconds. */
  readonly since: number;
  resolve(id: string): void;
  reject(error: AuditUnavailable): void;
}

/** Under load a block begins at most so often, in milliseconds, so that it has several events. */
const blockEveryMs = 2;
/** How often waiting events are checked for their time limit, in milliseconds. */
const checkEveryMs = 250;
/** The pause before a block is written again, in milliseconds: at first, and at most. */
const retryPauseMs = { first: 20, most: 1000 };

/**
 * Writes the events of this process into the audit log, as a stream of chained blocks. Events that are recorded while a
 * block is being written become the next block together. A block that may not have been written, as when the connection
 * breaks, is written again unchanged before any other; its key makes the repetition harmless. An event that is not
 * durable in time is refused to its caller and stays in the queue, so what it is about is recorded once the database is
 * back.
 */
export class AuditWriter implements AuditTrail {
  readonly streamId = randomUUID();
  readonly #options: Required<Pick<AuditWriterOptions, 'timeoutMs' | 'maxWaiting'>> & AuditWriterOptions;
  readonly #key = randomBytes(32);
  readonly #table: BlockTable;
  readonly #counter: EventCounter;
  readonly #refusals = new RefusalRate();
  readonly #stopping = new AbortController();
  readonly #checks: NodeJS.Timeout;
  readonly #stream: NewStream;
  #isStreamDurable = false;
  /** The events of the block that is being written. */
  #writing: readonly Waiting[] = [];
  #queue: Waiting[] = [];
  #sequence = 0;
  #previous: Buffer = noPrevious;
  #run: Promise<void> | undefined;

  private constructor(options: AuditWriterOptions) {
    this.#options = { timeoutMs: 5000, maxWaiting: 10_000, ...options };
    this.#table = new BlockTable(options);
    const { service, version, sealingKey } = options;
    this.#stream = {
      ...wrapStreamKey(sealingKey, this.streamId, this.#key),
      streamId: this.streamId,
      service,
      instance: `${hostname()}:${process.pid}`,
      version,
    };
    this.#counter = new EventCounter((event) => {
      this.record(event).catch((error: unknown) =>
        options.log.warn({ kind: event.kind, reason: messageOf(error) }, 'a counted audit event was not recorded'),
      );
    });
    this.#checks = setInterval(() => this.#rejectLate(), checkEveryMs).unref();
  }

  /**
   * Begins a stream with the event that the service was started. While the database is not available, events wait.
   * @throws Error when the sealing key cannot be used, or the database refuses the stream
   */
  static async open(options: AuditWriterOptions): Promise<AuditWriter> {
    const writer = new AuditWriter(options);
    try {
      await writer.#addStream();
    } catch (error) {
      if (!isTransient(error)) {
        await writer.#end();
        throw new Error(`the audit log cannot be written (${messageOf(error)}): provision the database`, {
          cause: error,
        });
      }
    }
    writer.record(lifecycleEvent('service.started', options.service)).catch(() => undefined);
    return writer;
  }

  record(event: NewAuditEvent): Promise<string> {
    if (this.#stopping.signal.aborted) return Promise.reject(new AuditUnavailable('the process is stopping'));
    if (this.#queue.length + this.#writing.length >= this.#options.maxWaiting)
      return Promise.reject(new AuditUnavailable('too many events are waiting'));
    return new Promise((resolve, reject) => {
      const since = performance.now();
      this.#queue.push({ event: { at: Date.now(), ...event }, since, resolve, reject });
      this.#run ??= this.#writeAll();
    });
  }

  async recordRefused(event: NewAuditEvent): Promise<void> {
    if (this.#refusals.isWithin(event, performance.now())) await this.record(event);
    else this.count(event);
  }

  count(event: NewAuditEvent): void {
    this.#counter.count(event);
  }

  /** Ends the stream with the event that the service was stopped, when the database takes it in time. */
  async close(): Promise<void> {
    this.#counter.flush();
    await this.record(lifecycleEvent('service.stopped', this.#options.service)).catch((error: unknown) =>
      this.#options.log.warn({ reason: messageOf(error) }, 'the end of the process was not recorded in the audit log'),
    );
    await this.#end();
  }

  async #addStream(): Promise<void> {
    if (!this.#isStreamDurable) await this.#table.addStream(this.#stream);
    this.#isStreamDurable = true;
  }

  async #end(): Promise<void> {
    this.#stopping.abort();
    this.#counter.stop();
    clearInterval(this.#checks);
    await this.#run;
    for (const { reject } of [...this.#writing, ...this.#queue])
      reject(new AuditUnavailable('the process has stopped'));
    await this.#table.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0 && !this.#stopping.signal.aborted) {
      // What else has arrived is recorded with it.
      await afterOtherEvents();
      const events = this.#queue.splice(0, maxEventsPerBlock);
      this.#writing = events;
      const startedAt = performance.now();
      await this.#writeBlocks(events);
      const restMs = startedAt + blockEveryMs - performance.now();
      if (events.length > 1 && restMs > 0) await pause(restMs);
    }
    this.#run = undefined;
  }

  /**
   * Writes a block as often as it takes. Events that are too large for one become several, without those that are not
   * valid.
   * @returns false when the process stops before
   */
  async #writeBlocks(waiting: readonly Waiting[]): Promise<boolean> {
    const block = this.#seal(waiting);
    if (!block) {
      const [one] = waiting;
      if (one && waiting.length === 1) return this.#refuse(one);
      const half = waiting.length >> 1;
      return (await this.#writeBlocks(waiting.slice(0, half))) && (await this.#writeBlocks(waiting.slice(half)));
    }
    if (!(await this.#writeUntilDurable(block))) return false;
    this.#sequence++;
    this.#previous = block.hash;
    this.#writing = this.#writing.slice(waiting.length);
    waiting.forEach(({ resolve }, index) => resolve(eventIdOf({ ...block, index })));
    return true;
  }

  #refuse(one: Waiting): true {
    this.#options.log.warn({ kind: one.event.kind }, 'an audit event is not valid and was refused');
    this.#writing = this.#writing.slice(1);
    one.reject(new AuditUnavailable('the event is not valid'));
    return true;
  }

  /** @returns undefined when the events cannot be one block */
  #seal(waiting: readonly Waiting[]): Block | undefined {
    const position = {
      streamId: this.streamId,
      sequence: this.#sequence,
      startedAt: Date.now(),
      previous: this.#previous,
    };
    const events = waiting.map(({ event }) => event);
    try {
      return sealBlock(this.#key, position, events);
    } catch {
      return undefined;
    }
  }

  async #writeUntilDurable(block: Block): Promise<boolean> {
    for (let pauseMs = retryPauseMs.first; ; pauseMs = Math.min(2 * pauseMs, retryPauseMs.most)) {
      try {
        await this.#addStream();
        await this.#table.addBlock(block);
        return true;
      } catch (error) {
        // The database has lost the stream, as a failover can lose the last transactions.
        if ((error as { code?: unknown }).code === foreignKeyViolation) this.#isStreamDurable = false;
        this.#options.log.warn(
          { reason: messageOf(error), sequence: block.sequence },
          'a block of the audit log could not be written; it is written again',
        );
      }
      if (this.#stopping.signal.aborted) return false;
      await pause(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /** Both lists are in the order of time. */
  #rejectLate(): void {
    const before = performance.now() - this.#options.timeoutMs;
    for (const waiting of [this.#writing, this.#queue])
      for (const { since, reject } of waiting) {
        if (since > before) break;
        // Without effect on one that was rejected before.
        reject(new AuditUnavailable('the database does not answer in time'));
      }
  }
}

function lifecycleEvent(kind: 'service.started' | 'service.stopped', service: string): NewAuditEvent {
  return { kind, action: 'E', outcome: 'success', agent: { service } };
}

/** Messages of the database can quote values of a row; its SQLSTATE does not. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'severity' in error && 'code' in error ? `SQLSTATE ${String(error.code)}` : error.message;
}

/** Whether PostgreSQL gave no SQLSTATE, or one of the classes for connections, resources and shutdown. */
function isTransient(error: unknown): boolean {
  return !(error instanceof Error && 'severity' in error && 'code' in error) || /^(08|53|57)/.test(String(error.code));
}
