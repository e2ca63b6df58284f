import { z } from 'zod';
import { maxDetails, maxEntities, maxEventBytes } from '../block/block-limits';
import { type AuditEntity, type AuditEvent, auditEntitySchema, auditEventSchema } from './audit-event';

/** The version of the stored form below, which is the first line of the content of a block. */
const formatVersion = 1;

const actions = auditEventSchema.shape.action;

/** The letters of outcomes in the stored form. */
const outcomeLetters = { success: 's', refused: 'r', failed: 'f', aborted: 'a', begun: 'b' } as const;
const outcomes = Object.fromEntries(
  Object.entries(outcomeLetters).map(([outcome, letter]) => [letter, outcome]),
) as Record<string, AuditEvent['outcome']>;

const storedEntity = z.object({
  r: auditEntitySchema.shape.release,
  t: auditEntitySchema.shape.type,
  i: auditEntitySchema.shape.id,
  v: auditEntitySchema.shape.version,
  q: auditEntitySchema.shape.query,
  n: auditEntitySchema.shape.count,
  c: auditEntitySchema.shape.counts,
  b: auditEntitySchema.shape.bytes,
});

/** An event in the content of a block. Members of later versions are ignored. */
const storedEvent = z.object({
  k: auditEventSchema.shape.kind,
  a: actions,
  o: z.enum(Object.values(outcomeLetters)),
  t: auditEventSchema.shape.at,
  s: auditEventSchema.shape.status,
  e: auditEventSchema.shape.errorCode,
  r: auditEventSchema.shape.requestId,
  c: auditEventSchema.shape.agent.shape.clientId,
  u: auditEventSchema.shape.agent.shape.serviceUserId,
  v: auditEventSchema.shape.agent.shape.service,
  w: auditEventSchema.shape.agent.shape.operator,
  f: auditEventSchema.shape.address,
  g: auditEventSchema.shape.userAgent,
  p: auditEventSchema.shape.subject,
  n: z.array(storedEntity).max(maxEntities).optional(),
  x: auditEventSchema.shape.eventOf,
});

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
    return fromStored(storedEvent.parse(stored));
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
function toStored({ agent, ...event }: AuditEvent): z.input<typeof storedEvent> {
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
    v: agent.service,
    w: agent.operator,
    f: event.address,
    g: event.userAgent,
    p: event.subject,
    n: event.entities?.map(toStoredEntity),
    x: event.eventOf,
  };
}

function toStoredEntity(entity: AuditEntity): z.input<typeof storedEntity> {
  const { release, type, id, version, query, count, counts, bytes } = entity;
  return { r: release, t: type, i: id, v: version, q: query, n: count, c: counts, b: bytes };
}

function fromStored(stored: z.output<typeof storedEvent>): AuditEvent {
  return defined({
    kind: stored.k,
    action: stored.a,
    outcome: outcomes[stored.o],
    at: stored.t,
    status: stored.s,
    errorCode: stored.e,
    requestId: stored.r,
    agent: defined({ clientId: stored.c, serviceUserId: stored.u, service: stored.v, operator: stored.w }),
    address: stored.f,
    userAgent: stored.g,
    subject: stored.p,
    entities: stored.n?.map(({ r, t, i, v, q, n, c, b }) =>
      defined({ release: r, type: t, id: i, version: v, query: q, count: n, counts: c, bytes: b }),
    ),
    eventOf: stored.x,
  }) as AuditEvent;
}

/** The members that have a value. */
function defined<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}
