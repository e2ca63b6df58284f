import { type AuditEvent, clientKey } from '@tributary/audit-log';
import type { AuditBlocks, FoundEvent } from '../blocks/audit-blocks';
import { scanBlocks } from '../blocks/scan-blocks';
import type { Period } from './time-option';

/** One disclosure of a user's data, as 45 CFR 164.528(b)(2) demands it: date, recipient, what, purpose. */
export interface Disclosure {
  date: string;
  /** The client application that received the data, or the operator who ran a command on it. */
  recipient: string;
  /** Its network address, where it is known. */
  address: string;
  what: string;
  purpose: string;
  /** The service that has recorded the event. */
  recordedBy: string;
  /** The id of the audit event. */
  event: string;
}

const byUser = 'access of the individual through the client application';
const byClient = 'access of the client application on behalf of the individual';
const byOperator = 'operation of this service';

/**
 * The kinds of events in which data left the installation, or an operator's command was run on a user, and the service
 * that records them; without one, each does. The response to a write has the stored resource, which can be another one
 * than was sent: a patch without operations reads it.
 */
const disclosingKinds: ReadonlyMap<string, string | undefined> = new Map([
  ...['read', 'vread', 'search', 'history', 'operation', 'bundle', 'create', 'update', 'patch'].map(
    (kind) => [`fhir.${kind}`, 'fhir-store'] as const,
  ),
  ['download', 'analytics-export'],
  ['webhook.sent', 'user-management'],
  ['operator.command', undefined],
]);
/** The services whose events tell since when a client has a user. */
const servicesOfUsers = new Set(['user-management', 'fhir-store', 'analytics-export']);

/** A disclosure, and what tells whether another event completes its event. */
interface FoundDisclosure extends Pick<AuditEvent, 'at' | 'eventOf'> {
  disclosure: Disclosure;
  /** The event is completed only by one of the same. */
  parties: string;
  isBegun: boolean;
}

/**
 * The accounting of the disclosures of one user's data, oldest first: what the user's record was read for, the
 * operator's commands on the user, and the downloads of all users of the client. A download that was begun is a
 * disclosure even when its end is not known; its end is told once. What a service that was taken over records about the
 * work of another one does not count.
 * @param userId the service_user_id
 */
export async function disclosuresOf(log: AuditBlocks, userId: number, period: Period): Promise<Disclosure[]> {
  const found: FoundDisclosure[] = [];
  const clients = new Set<string>();
  let knownSince = Infinity;
  for await (const one of eventsOf(log, BigInt(userId))) {
    const { subject, agent, at } = one.event;
    if (subject !== userId) continue;
    if (servicesOfUsers.has(one.service)) {
      knownSince = Math.min(knownSince, at);
      if (agent.clientId !== undefined) clients.add(agent.clientId);
    }
    if (isDisclosure(one)) found.push(foundDisclosure(one));
  }
  for (const clientId of clients)
    for await (const one of eventsOf(log, clientKey(clientId))) {
      const { subject, agent, at, kind } = one.event;
      const isOfAllUsers = kind === 'download' && subject === undefined && agent.clientId === clientId;
      if (isOfAllUsers && at >= knownSince && isDisclosure(one)) found.push(foundDisclosure(one));
    }
  const completed = new Set(found.map(({ eventOf, parties }) => `${eventOf} ${parties}`));
  return found
    .filter(({ disclosure: { event }, isBegun, parties }) => !isBegun || !completed.has(`${event} ${parties}`))
    .filter(({ at }) => at >= period.from && at < period.before)
    .toSorted((one, other) => one.at - other.at)
    .map(({ disclosure }) => disclosure);
}

/**
 * The events in the blocks with a key, whenever they were recorded: imported ones are recorded later than they
 * happened.
 */
async function* eventsOf(log: AuditBlocks, key: bigint): AsyncGenerator<FoundEvent> {
  const range = { keys: [key], from: -Infinity, before: Infinity, isDescending: false };
  for await (const { blocks } of scanBlocks(log, range)) for await (const { events } of blocks) yield* events;
}

function isDisclosure({ service, event: { kind, outcome } }: FoundEvent): boolean {
  return (
    disclosingKinds.has(kind) &&
    (disclosingKinds.get(kind) ?? service) === service &&
    (outcome === 'success' || outcome === 'aborted' || outcome === 'begun')
  );
}

function foundDisclosure({ id, service, event }: FoundEvent): FoundDisclosure {
  const { kind, subject, agent, address, at, eventOf } = event;
  const disclosure = {
    date: new Date(at).toISOString(),
    recipient: agent.operator ?? agent.clientId ?? agent.service ?? 'unknown',
    address: address ?? '',
    what: `${describe(event)}${subject === undefined ? ', in an export of all users' : ''}`,
    purpose: purposeOf(agent),
    recordedBy: service,
    event: id,
  };
  const parties = JSON.stringify([service, kind, subject, agent.clientId, agent.operator]);
  return { disclosure, at, eventOf, parties, isBegun: event.outcome === 'begun' };
}

function purposeOf({ operator, serviceUserId }: AuditEvent['agent']): string {
  if (operator !== undefined) return byOperator;
  return serviceUserId === undefined ? byClient : byUser;
}

/** Names types, ids and numbers of resources; the log has no content of a record. */
function describe({ kind, outcome, agent, entities = [] }: AuditEvent): string {
  const isCommand = agent.operator !== undefined;
  const parts = entities.map(({ release, type, id, query, count, counts, bytes }) =>
    [
      [release, type, id].filter((part) => part !== undefined).join('/'),
      query === undefined ? undefined : isCommand ? query : `searched by ${query === '' ? 'nothing' : query}`,
      count === undefined ? undefined : `${count} resources`,
      ...Object.entries(counts ?? {}).map(([name, number]) => `${name}: ${number}`),
      bytes === undefined ? undefined : `${bytes} bytes`,
    ]
      .filter((part) => part !== undefined && part !== '')
      .join(', '),
  );
  const ending = endings.get(String(outcome)) ?? '';
  return `${kind}${parts.length === 0 ? '' : `: ${parts.join('; ')}`}${ending}`;
}

const endings = new Map([
  ['aborted', ' (not received completely)'],
  ['begun', ' (the end is not known)'],
]);

const columns = ['date', 'recipient', 'address', 'what', 'purpose', 'recordedBy', 'event'] as const;

/** The header of the comma-separated form (RFC 4180). */
export const csvHeader = columns.join(',');

export function csvLine(disclosure: Disclosure): string {
  return columns.map((column) => csvField(disclosure[column])).join(',');
}

/** A field that a spreadsheet would take for a formula begins with an apostrophe. */
function csvField(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
