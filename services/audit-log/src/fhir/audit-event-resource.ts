import type { AuditEntity, AuditEvent } from '@tributary/audit-log';
import type { FoundEvent } from '../blocks/audit-blocks';
import {
  type Coding,
  type OwnSystems,
  dicomCodes,
  outcomeCodes,
  ownSystems,
  subtypeOfKind,
  systems,
  typeOfKind,
} from './vocabulary';

const profiles = 'https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.';

/**
 * The profile of IHE Basic Audit Log Patterns that a successful event of one resource of a user has, by its kind.
 * Queries have none: their profile demands the values of the search, which are not recorded.
 */
const profileOfKind = new Map(
  Object.entries({
    'fhir.read': `${profiles}PatientRead`,
    'fhir.vread': `${profiles}PatientRead`,
    'fhir.create': `${profiles}PatientCreate`,
    'fhir.update': `${profiles}PatientUpdate`,
    'fhir.patch': `${profiles}PatientUpdate`,
    'fhir.delete': `${profiles}PatientDelete`,
  }),
);

/** The roles of client, server and user, by the direction in which data flows. */
interface Roles {
  client: Coding;
  server: Coding;
  user: Coding;
}

const author: Coding = { system: systems.participation, code: 'AUT', display: 'author (originator)' };
const rolesOfAction: Readonly<Record<AuditEvent['action'], Roles>> = (() => {
  const reading: Roles = {
    client: dicomCodes.destination,
    server: dicomCodes.source,
    user: { system: systems.participation, code: 'IRCP', display: 'information recipient' },
  };
  const writing: Roles = { client: dicomCodes.source, server: dicomCodes.destination, user: author };
  const deleting: Roles = {
    client: dicomCodes.application,
    server: { system: systems.provenanceParticipant, code: 'custodian', display: 'Custodian' },
    user: author,
  };
  return { R: reading, E: reading, C: writing, U: writing, D: deleting };
})();

/**
 * An event as an AuditEvent of R4 (https://hl7.org/fhir/R4/auditevent.html), with a profile of IHE BALP 1.1
 * (https://profiles.ihe.net/ITI/BALP/) where it fits.
 * @param baseUrl the public address of the installation
 */
export function auditEventResource(found: FoundEvent, baseUrl: string): object {
  const { id, recordedAt, service, event } = found;
  const own = ownSystems(baseUrl);
  const profile = profileOf(event);
  const time = new Date(event.at).toISOString();
  return {
    resourceType: 'AuditEvent',
    id,
    ...(profile === undefined ? {} : { meta: { profile: [profile] } }),
    type: typeOfKind(event.kind),
    subtype: [subtypeOfKind(event.kind, own)],
    action: event.action,
    period: { start: time, end: time },
    recorded: new Date(recordedAt).toISOString(),
    outcome: outcomeCodes[event.outcome],
    ...outcomeText(event),
    agent: agentsOf(event, service, baseUrl, own),
    source: {
      observer: { identifier: { system: own.service, value: service } },
      type: [{ system: systems.sourceType, code: '4', display: 'Application Server' }],
    },
    entity: entitiesOf(event, baseUrl, own),
  };
}

function profileOf({ kind, outcome, agent, address, subject, entities }: AuditEvent): string | undefined {
  const [entity, ...others] = entities ?? [];
  const isOfOneResource = entity?.type !== undefined && entity.id !== undefined && others.length === 0;
  const isComplete = agent.clientId !== undefined && address !== undefined && subject !== undefined;
  return outcome === 'success' && isOfOneResource && isComplete ? profileOfKind.get(kind) : undefined;
}

function outcomeText({ outcome, status, errorCode }: AuditEvent): { outcomeDesc?: string } {
  const words = [outcome === 'success' ? undefined : outcome, status && `HTTP ${status}`, errorCode];
  const text = words.filter((word) => word !== undefined).join(', ');
  return text === '' ? {} : { outcomeDesc: text };
}

interface Agent {
  type: { coding: Coding[] };
  who: { type?: string; identifier: { system: string; value: string }; display?: string };
  requestor: boolean;
  network?: { address: string; type: '2' | '5' };
}

/**
 * At most one agent is the requestor: the user, developer or operator, or else the client, or else the calling service.
 */
function agentsOf(event: AuditEvent, service: string, baseUrl: string, own: OwnSystems): Agent[] {
  const { agent, address, userAgent } = event;
  const roles = rolesOfAction[event.action];
  const network = address === undefined ? {} : { network: { address, type: '2' as const } };
  const agents: Agent[] = [];
  const add = (type: Coding, system: string, value: string, more: Partial<Agent> = {}): void => {
    const requestor = !agents.some((other) => other.requestor);
    agents.push({ type: { coding: [type] }, who: { identifier: { system, value } }, requestor, ...more });
  };
  if (agent.serviceUserId !== undefined) {
    const value = String(agent.serviceUserId);
    add(roles.user, own.user, value, { who: { type: 'Patient', identifier: { system: own.user, value } } });
  }
  if (agent.developer !== undefined) add(roles.user, own.developer, agent.developer);
  if (agent.operator !== undefined) add(author, own.operator, agent.operator);
  if (agent.clientId !== undefined) {
    const identifier = { system: own.client, value: agent.clientId };
    const display = userAgent === undefined ? {} : { display: userAgent };
    add(roles.client, own.client, agent.clientId, { who: { identifier, ...display }, ...network });
  }
  if (agent.service !== undefined) add(dicomCodes.application, own.service, agent.service);
  add(roles.server, own.service, service, { requestor: false, network: { address: baseUrl, type: '5' } });
  return agents;
}

function entitiesOf(event: AuditEvent, baseUrl: string, own: OwnSystems): object[] {
  const { subject, requestId, eventOf } = event;
  const [person, object] = [code(systems.entityType, '1', 'Person'), code(systems.entityType, '2', 'System Object')];
  return [
    subject === undefined
      ? undefined
      : {
          what: { type: 'Patient', identifier: { system: own.user, value: String(subject) } },
          type: person,
          role: code(systems.objectRole, '1', 'Patient'),
        },
    ...(event.entities ?? []).map((entity) => dataEntity(entity, object, baseUrl)),
    eventOf === undefined
      ? undefined
      : {
          what: { reference: `AuditEvent/${eventOf}` },
          type: object,
          role: code(systems.objectRole, '20', 'Job'),
          description: 'The event that this one completes.',
        },
    requestId === undefined
      ? undefined
      : {
          what: { identifier: { value: requestId } },
          type: { system: systems.balpEntityType, code: 'XrequestId' },
        },
  ].filter((entity) => entity !== undefined);
}

/** A resource, a query without its values, or a number of resources. */
function dataEntity(entity: AuditEntity, type: Coding, baseUrl: string): object {
  const { release, query, count, counts, bytes } = entity;
  const reference = referenceOf(entity, baseUrl);
  const role =
    query === undefined ? code(systems.objectRole, '4', 'Domain Resource') : code(systems.objectRole, '24', 'Query');
  const details = [
    ...(release === undefined || reference ? [] : [['release', release]]),
    ...(count === undefined ? [] : [['count', String(count)]]),
    ...(bytes === undefined ? [] : [['bytes', String(bytes)]]),
    ...Object.entries(counts ?? {}).map(([name, number]) => [name, String(number)]),
  ];
  return {
    ...(reference ? { what: reference } : {}),
    type,
    role,
    ...(query === undefined ? {} : { description: query === '' ? 'no parameters' : query }),
    ...(details.length === 0 ? {} : { detail: details.map(([name, valueString]) => ({ type: name, valueString })) }),
  };
}

function referenceOf({ release, type, id, version }: AuditEntity, baseUrl: string): object | undefined {
  if (type === undefined) return undefined;
  if (id === undefined) return { type };
  const versionPart = version === undefined ? '' : `/_history/${version}`;
  return { reference: `${release === undefined ? '' : `${baseUrl}/${release}/`}${type}/${id}${versionPart}`, type };
}

function code(system: string, value: string, display: string): Coding {
  return { system, code: value, display };
}
