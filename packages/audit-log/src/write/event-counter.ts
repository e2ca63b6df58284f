import type { NewAuditEvent } from '../event/audit-event';

const flushEveryMs = 10_000;
/** So many combinations of kind, client and address are counted apart; further ones by their kind alone. */
const maxCounts = 1000;

/** Adds up events of the same kind, client and address, and passes each sum on as one event. */
export class EventCounter {
  readonly #counts = new Map<string, { event: NewAuditEvent; count: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly pass: (event: NewAuditEvent) => void) {}

  count(event: NewAuditEvent): void {
    const { address: _address, ...rest } = event;
    this.#add(this.#counts.size < maxCounts || this.#counts.has(keyOf(event)) ? event : { ...rest, agent: {} });
    this.#timer ??= setTimeout(() => this.flush(), flushEveryMs).unref();
  }

  /** Passes on what was counted. */
  flush(): void {
    this.stop();
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    for (const { event, count } of counts) this.pass({ ...event, entities: [{ count }] });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #add(event: NewAuditEvent): void {
    const key = keyOf(event);
    const counted = this.#counts.get(key);
    if (counted) counted.count++;
    else this.#counts.set(key, { event, count: 1 });
  }
}

function keyOf({ kind, agent, address, errorCode }: NewAuditEvent): string {
  return JSON.stringify([kind, agent.clientId, agent.serviceUserId, address, errorCode]);
}
