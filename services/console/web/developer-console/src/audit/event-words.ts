import { facts } from '../facts';
import { sentence } from '../text';

/** Kinds of events in words, by what they are about. The audit log may have others. */
export const kindGroups: readonly { group: string; kinds: Readonly<Record<string, string>> }[] = [
  {
    group: 'FHIR',
    kinds: {
      read: 'Resource read',
      vread: 'Version of a resource read',
      search: 'Resources searched',
      history: 'History read',
      operation: 'Operation on resources',
      create: 'Resource created',
      update: 'Resource updated',
      patch: 'Resource patched',
      delete: 'Resource deleted',
      'fhir.bundle': 'Bundle of requests carried out',
    },
  },
  {
    group: 'Users and tokens',
    kinds: {
      'user.created': 'User created',
      'user.read': 'Users read',
      'user.changed': 'User changed',
      'user.deleted': 'User deleted',
      'record.destroyed': 'Record destroyed',
      'code.issued': 'Authorization code issued',
      'token.issued': 'Tokens issued',
      'token.refused': 'Tokens refused',
      'token.revoked': 'Tokens revoked',
      'token.introspected': 'Token looked up',
    },
  },
  {
    group: 'Connections and collection',
    kinds: {
      'connect.begun': 'Connecting begun',
      'connect.finished': 'Connecting finished',
      'connect.link-created': 'Connect link created',
      'connection.read': 'Connections read',
      'connection.refreshed': 'Collection of a connection asked for',
      'connection.revoked': 'Connection ended',
      'consent.given': 'Consent given',
      'consent.ended': 'Consent ended',
      'grant.token-used': 'Token of a health system used',
      'collection.read': 'Collected resources read',
      'collection.batch': 'Resources collected',
      'collection.resolve': 'References of collected resources looked up',
      'collection.delete': 'Collected resources deleted',
      'collection.reported': 'Collection reported',
    },
  },
  {
    group: 'Exports and webhooks',
    kinds: {
      'export.requested': 'Export requested',
      'export.planned': 'Export planned',
      'export.read': 'Status of an export read',
      'export.cancelled': 'Export deleted',
      download: 'File downloaded',
      'webhook.configured': 'Webhook endpoint changed',
      'webhook.read': 'Webhooks read',
      'webhook.sent': 'Webhook sent',
    },
  },
  {
    group: 'Application and safety',
    kinds: {
      'client.created': 'Application created',
      'client.changed': 'Application changed',
      'client.deleted': 'Application deleted',
      'audit.read': 'Audit log read',
      'limit.hit': 'Limit reached',
      'key.rotated': 'Keys changed',
      'operator.command': 'Command of the operator',
    },
  },
];
const kindWords: Readonly<Record<string, string>> = Object.assign({}, ...kindGroups.map(({ kinds }) => kinds));

export const actionWords: Readonly<Record<string, string>> = {
  C: 'Create',
  R: 'Read',
  U: 'Update',
  D: 'Delete',
  E: 'Execute',
};
export const outcomes = {
  '0': { kind: 'good', words: 'Success' },
  '4': { kind: 'warning', words: 'Refused or ended early' },
  '8': { kind: 'bad', words: 'Failed' },
} as const;

/** The services that record events. */
export const services: Readonly<Record<string, string>> = {
  auth: 'Tokens and applications',
  'user-management': 'Users, connections and webhooks',
  'ingestion-worker': 'Collection',
  'fhir-store': 'FHIR',
  'analytics-export': 'Exports',
  'audit-log': 'Audit log',
  'mcp-server': 'MCP',
  console: 'Console',
};

const ofInstallation = (name: string): string => `${facts.urls.base_url}/audit/${name}`;
export const systems = {
  user: ofInstallation('service-user-id'),
  client: ofInstallation('client-id'),
  developer: ofInstallation('developer'),
  service: ofInstallation('service'),
  operator: ofInstallation('operator'),
};

interface Coding {
  system?: string;
  code?: string;
  display?: string;
}
interface Identified {
  type?: string;
  identifier?: { system?: string; value?: string };
  reference?: string;
  display?: string;
}
/** What the page reads of an AuditEvent of R4; the audit log is its only source. */
export interface AuditEvent {
  id: string;
  type: Coding;
  subtype?: Coding[];
  action: string;
  recorded: string;
  period?: { start: string };
  outcome: keyof typeof outcomes;
  outcomeDesc?: string;
  agent: {
    type?: { coding?: Coding[] };
    who: Identified;
    requestor: boolean;
    network?: { address?: string; type?: string };
  }[];
  entity?: {
    what?: Identified;
    type?: Coding;
    role?: Coding;
    description?: string;
    detail?: { type: string; valueString?: string }[];
  }[];
}

/** Whether the descriptions of an event are the names of search parameters. */
export function isSearch(event: AuditEvent): boolean {
  return ['search', 'audit.read'].includes(kindOf(event));
}

export function kindOf({ subtype }: AuditEvent): string {
  return subtype?.[0]?.code ?? '';
}

/** What happened, in words. */
export function kindText(event: AuditEvent): string {
  const kind = kindOf(event);
  return kindWords[kind] ?? sentence(kind.replaceAll(/[.-]/g, ' ')).slice(0, -1);
}

/** Names of developers by their ids. */
export type Names = ReadonlyMap<string, string>;

/** Who took part, in words. */
export function agentText({ who }: AuditEvent['agent'][number], names: Names, clientName: string): string {
  const { system, value = '' } = who.identifier ?? {};
  if (system === systems.developer) return names.get(value) ?? `Developer ${value}`;
  if (system === systems.user) return `User ${value}`;
  if (system === systems.operator) return `Operator ${value}`;
  if (system === systems.client) return clientName;
  return services[value] ?? value;
}

export function requestorOf({ agent }: AuditEvent): AuditEvent['agent'][number] | undefined {
  return agent.find(({ requestor }) => requestor) ?? agent[0];
}

type Entity = NonNullable<AuditEvent['entity']>[number];

/** The service_user_id of the person whose record an event is about. */
export function subjectOf({ entity = [] }: AuditEvent): string | undefined {
  return entity.find(isPerson)?.what?.identifier?.value;
}

export function requestIdOf({ entity = [] }: AuditEvent): string | undefined {
  return entity.find(isRequest)?.what?.identifier?.value;
}

/** What was accessed: neither the person nor the request. */
export function dataOf({ entity = [] }: AuditEvent): Entity[] {
  return entity.filter((each) => !isPerson(each) && !isRequest(each));
}

const isPerson = ({ type }: Entity): boolean => type?.code === '1';
const isRequest = ({ type }: Entity): boolean => type?.code === 'XrequestId';

/** What was accessed, in words, such as "Observation, search by code and date, count 7". */
export function dataText({ what, description, detail = [] }: Entity, isSearch: boolean): string {
  const reference = what?.reference?.replace(`${facts.urls.base_url}/`, '') ?? what?.type;
  return [
    reference,
    description !== undefined && (isSearch ? `search with ${description.replaceAll('&', ', ')}` : description),
    ...detail.map(({ type, valueString = '' }) => `${type} ${valueString}`),
  ]
    .filter(Boolean)
    .join(', ');
}
