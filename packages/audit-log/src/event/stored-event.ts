import { maxDetails, maxEntities, maxEventBytes } from '../block/block-limits';
import { type AuditEntity, type AuditEvent, auditEventSchema } from './audit-event';

/** The version of the stored form below, which is the first line of the content of a block. */
const formatVersion = 1;

/** The letters of outcomes in the stored form. */
const outcomeLetters = { success: 's', refused: 'r', failed: 'f', aborted: 'a', begun: 'b' } as const;
const outcomes = new Map(Object.entries(outcomeLetters).map(([outcome, letter]) => [letter, outcome]));

/**
 * The bytes of events in a block: lines of JSON with short names, the first of which is the version.
 * @throws Error when an event is too large to be read again, or the events are
 */
export function encodeEvents(events: readonly AuditEvent[]): Buffer {
  let text = String(formatVersion);
  let details = 0;
  for (const event of events) {
    const stored = toStored(event);
    const line = JSON.stringify(stored);
    if (line.length > maxEventBytes || (event.entities?.length ?? 0) > maxEntities)
      throw new Error(`an event of the kind ${event.kind} is too large`);
    details += detailsOf(stored);
    if (details > maxDetails) throw new Error('the events have too many entities for one block');
    text += `\n${line}`;
  }
  return Buffer.from(text);
}

/**
 * @param count how many events the bytes have
 * @throws Error when the bytes are not those of so many events, or of a later version of the format
 */
export function decodeEvents(bytes: Buffer, count: number): AuditEvent[] {
  // One more than there are: other bytes can have any number of lines.
  const [version, ...lines] = bytes.toString('utf8').split('\n', count + 2);
  if (lines.length !== count) throw new Error('the content of the block has another number of events');
  if (lines.some((line) => line.length > maxEventBytes)) throw new Error('an event of the block is too large');
  if (version !== String(formatVersion)) throw new Error('the content of the block has an unknown version');
  let details = 0;
  return lines.map((line) => {
    const stored = JSON.parse(line) as unknown;
    details += detailsOf(stored);
    if (details > maxDetails) throw new Error('the events of the block have too many entities');
    return fromStored(stored as StoredEvent);
  });
}

/** How many entities an event has, and numbers in these, before it is known to be an event. */
function detailsOf(stored: unknown): number {
  const entities = (stored as { n?: unknown } | null)?.n;
  if (!Array.isArray(entities)) return 0;
  return entities.reduce<number>(
    (sum, entity: { c?: object } | null) => sum + 1 + Object.keys(entity?.c ?? {}).length,
    0,
  );
}

/** `JSON.stringify` leaves out what is undefined. */
function toStored({ agent, ...event }: AuditEvent) {
  return {
    k: event.kind,
    a: event.action,
    o: outcomeLetters[event.outcome],
    t: event.at,
    s: event.status,
    e: event.errorCode,
    r: event.requestId,
    c: agent.clientId,
    u: agent.serviceUserId,
    d: agent.developer,
    v: agent.service,
    w: agent.operator,
    f: event.address,
    g: event.userAgent,
    p: event.subject,
    n: event.entities?.map(toStoredEntity),
    x: event.eventOf,
  };
}

function toStoredEntity({ release, type, id, version, query, count, counts, bytes }: AuditEntity) {
  return { r: release, t: type, i: id, v: version, q: query, n: count, c: counts, b: bytes };
}

type StoredEvent = ReturnType<typeof toStored>;

/** Members of later versions are ignored. @throws Error when it is no event */
function fromStored(stored: StoredEvent): AuditEvent {
  return auditEventSchema.parse({
    kind: stored.k,
    action: stored.a,
    outcome: outcomes.get(stored.o),
    at: stored.t,
    status: stored.s,
    errorCode: stored.e,
    requestId: stored.r,
    agent: {
      clientId: stored.c,
      serviceUserId: stored.u,
      developer: stored.d,
      service: stored.v,
      operator: stored.w,
    },
    address: stored.f,
    userAgent: stored.g,
    subject: stored.p,
    entities: stored.n?.map(({ r, t, i, v, q, n, c, b }) => ({
      release: r,
      type: t,
      id: i,
      version: v,
      query: q,
      count: n,
      counts: c,
      bytes: b,
    })),
    eventOf: stored.x,
  });
}
