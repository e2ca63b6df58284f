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
const byDeveloper = 'access of a developer of the client application, in the console';
const byOperator = 'operation of this service';

/** The service that records downloads. */
const downloads = 'analytics-export';

/**
 * The kinds of events in which data left the installation, or an operator's command was run on a user, and the service
 * that records them; without one, each does. The response to a write has the stored resource, which can be another one
 * than was sent: a patch without operations reads it.
 */
const disclosingKinds: ReadonlyMap<string, string | undefined> = new Map([
  ...['read', 'vread', 'search', 'history', 'operation', 'bundle', 'create', 'update', 'patch'].map(
    (kind) => [`fhir.${kind}`, 'fhir-store'] as const,
  ),
  ['download', downloads],
  ['webhook.sent', 'user-management'],
  ['operator.command', undefined],
]);
/** The services whose events tell since when a client has a user. */
const servicesOfUsers = new Set(['user-management', 'auth']);
/** A user belongs to one client. */
const maxClients = 10;
/** As many as fit into memory; a longer period is accounted for in parts. */
const maxDisclosures = 100_000;
/** The content of one disclosure is shown up to so many characters; `audit export` has all of it. */
const maxCharacters = 2000;

/** A disclosure, and what tells whether another event completes its event. */
interface FoundDisclosure extends Pick<AuditEvent, 'at'> {
  disclosure: Disclosure;
  /** The event is completed only by one of the same (`partiesOf`). */
  parties: string;
  isBegun: boolean;
}

/**
 * The accounting of the disclosures of one user's data, oldest first: what the user's record was read for, the
 * operator's commands on the user, and the downloads of all users of the client. A download that was begun is a
 * disclosure even when its end is not known; its end is told once. What a service that was taken over records about the
 * work of another one does not count.
 * @param userId the service_user_id
 * @throws Error when there are more than can be accounted for at once
 */
export async function disclosuresOf(log: AuditBlocks, userId: number, period: Period): Promise<Disclosure[]> {
  const found: FoundDisclosure[] = [];
  /** Since when each client has the user, in epoch milliseconds. */
  const clients = new Map<string, number>();
  const completed = new Set<string>();
  const add = (one: FoundEvent): void => {
    const { at, eventOf } = one.event;
    if (!isDisclosure(one)) return;
    if (eventOf !== undefined) completed.add(`${eventOf} ${partiesOf(one)}`);
    if (at < period.from || at >= period.before) return;
    if (found.length === maxDisclosures)
      throw new Error(`there are more than ${maxDisclosures} disclosures: account for a part by --from and --to`);
    found.push(foundDisclosure(one));
  };
  for await (const one of eventsOf(log, BigInt(userId))) {
    const { subject, agent, at, outcome } = one.event;
    if (subject !== userId) continue;
    if (servicesOfUsers.has(one.service) && outcome === 'success' && agent.clientId !== undefined)
      clients.set(agent.clientId, Math.min(at, clients.get(agent.clientId) ?? Infinity));
    if (clients.size > maxClients) throw new Error(`the user has events of more than ${maxClients} clients`);
    add(one);
  }
  for (const [clientId, knownSince] of clients)
    for await (const one of eventsOf(log, clientKey(clientId), downloads)) {
      const { subject, agent, at, kind } = one.event;
      if (kind === 'download' && subject === undefined && agent.clientId === clientId && at >= knownSince) add(one);
    }
  return found
    .filter(({ disclosure: { event }, isBegun, parties }) => !isBegun || !completed.has(`${event} ${parties}`))
    .toSorted((one, other) => one.at - other.at)
    .map(({ disclosure }) => disclosure);
}

/**
 * The events in the blocks with a key, whenever they were recorded: imported ones are recorded later than they
 * happened.
 * @param service only its blocks
 */
async function* eventsOf(log: AuditBlocks, key: bigint, service?: string): AsyncGenerator<FoundEvent> {
  const range = { keys: [key], service, from: -Infinity, before: Infinity, isDescending: false };
  for await (const { blocks } of scanBlocks(log, range)) for await (const { events } of blocks) yield* events;
}

/** What had begun and failed may have disclosed a part. */
function isDisclosure({ service, event: { kind, outcome, eventOf } }: FoundEvent): boolean {
  return (
    disclosingKinds.has(kind) &&
    (disclosingKinds.get(kind) ?? service) === service &&
    (outcome === 'success' || outcome === 'aborted' || outcome === 'begun' || eventOf !== undefined)
  );
}

function foundDisclosure({ id, service, event }: FoundEvent): FoundDisclosure {
  const { subject, agent, address, at } = event;
  const disclosure = {
    date: new Date(at).toISOString(),
    recipient: agent.operator ?? agent.developer ?? agent.clientId ?? agent.service ?? 'unknown',
    address: address ?? '',
    what: `${describe(event).slice(0, maxCharacters)}${subject === undefined ? ', in an export of all users' : ''}`,
    purpose: purposeOf(agent),
    recordedBy: service,
    event: id,
  };
  return { disclosure, at, parties: partiesOf({ service, event }), isBegun: event.outcome === 'begun' };
}

function partiesOf({ service, event: { kind, subject, agent } }: Pick<FoundEvent, 'service' | 'event'>): string {
  return JSON.stringify([service, kind, subject, agent.clientId, agent.developer, agent.operator]);
}

function purposeOf({ operator, developer, serviceUserId }: AuditEvent['agent']): string {
  if (operator !== undefined) return byOperator;
  if (developer !== undefined) return byDeveloper;
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
  ['failed', ' (failed)'],
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
