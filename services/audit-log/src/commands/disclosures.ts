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
  /** The id of the audit event. */
  event: string;
}

const byUser = 'access of the individual through the client application';
const byClient = 'access of the client application on behalf of the individual';
const byOperator = 'operation of this service';

/**
 * The kinds of events in which data left the installation, or an operator's command was run on a user. The response
 * to a write has the stored resource, which can be another one than was sent: a patch without operations reads it.
 */
const disclosingKinds =
  /^(fhir\.(read|vread|search|history|operation|bundle|create|update|patch)|download|webhook\.sent|operator\.command)$/;

/**
 * The accounting of the disclosures of one user's data, oldest first: what the user's record was read for, the
 * operator's commands on the user, and the downloads of all users of the client. A download that was begun is a
 * disclosure even when its end is not known; its end is told once.
 * @param userId the service_user_id
 */
export async function disclosuresOf(log: AuditBlocks, userId: number, period: Period): Promise<Disclosure[]> {
  const found: FoundEvent[] = [];
  const clients = new Set<string>();
  let knownSince = Infinity;
  for await (const one of eventsOf(log, BigInt(userId))) {
    const { subject, agent, at } = one.event;
    if (subject !== userId) continue;
    knownSince = Math.min(knownSince, at);
    if (agent.clientId !== undefined) clients.add(agent.clientId);
    if (isDisclosure(one.event)) found.push(one);
  }
  for (const clientId of clients)
    for await (const one of eventsOf(log, clientKey(clientId))) {
      const { subject, agent, at, kind } = one.event;
      const isOfAllUsers = kind === 'download' && subject === undefined && agent.clientId === clientId;
      if (isOfAllUsers && at >= knownSince && isDisclosure(one.event)) found.push(one);
    }
  const completed = new Set(found.map(({ event }) => event.eventOf));
  return found
    .filter(({ id, event: { at } }) => !completed.has(id) && at >= period.from && at < period.before)
    .toSorted((one, other) => one.event.at - other.event.at)
    .map(disclosureOf);
}

/**
 * The events in the blocks with a key, whenever they were recorded: imported ones are recorded later than they
 * happened.
 */
async function* eventsOf(log: AuditBlocks, key: bigint): AsyncGenerator<FoundEvent> {
  const range = { keys: [key], from: -Infinity, before: Infinity, isDescending: false };
  for await (const { blocks } of scanBlocks(log, range)) for (const { events } of blocks) yield* events;
}

function isDisclosure({ kind, outcome }: AuditEvent): boolean {
  return disclosingKinds.test(kind) && (outcome === 'success' || outcome === 'aborted' || outcome === 'begun');
}

function disclosureOf({ id, event }: FoundEvent): Disclosure {
  const { agent, address, at } = event;
  return {
    date: new Date(at).toISOString(),
    recipient: agent.operator ?? agent.clientId ?? agent.service ?? 'unknown',
    address: address ?? '',
    what: `${describe(event)}${event.subject === undefined ? ', in an export of all users' : ''}`,
    purpose: purposeOf(agent),
    event: id,
  };
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

const columns = ['date', 'recipient', 'address', 'what', 'purpose', 'event'] as const;

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
