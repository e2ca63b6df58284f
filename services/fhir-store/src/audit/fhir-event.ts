import type { AuditEntity, AuditEvent, AuditKind, NewAuditEvent } from '@tributary/audit-log';
import { type Release, isResourceType } from '@tributary/fhir-definitions';
import { isResourceId } from '@tributary/record-storage';
import type { FhirResponse } from '../fhir-http/fhir-response';

/** An interaction with a record, before its outcome is known. */
export interface Interaction {
  readonly method: string;
  readonly release: Release;
  /** The name of its route. */
  readonly route: string;
  /** The path below the release. */
  readonly segments: readonly string[];
}

/** The kinds of routes that end with a resource or a type, by method. */
const resourceKinds: ReadonlyMap<string, [AuditKind, AuditEvent['action']]> = new Map(
  Object.entries({
    GET: ['fhir.read', 'R'],
    HEAD: ['fhir.read', 'R'],
    POST: ['fhir.create', 'C'],
    PUT: ['fhir.update', 'U'],
    PATCH: ['fhir.patch', 'U'],
    DELETE: ['fhir.delete', 'D'],
  }),
);
const search = ['fhir.search', 'E'] as const;

/** The kind and the action of an interaction (https://hl7.org/fhir/R4/valueset-type-restful-interaction.html). */
export function kindOf({ method, route }: Interaction): Pick<NewAuditEvent, 'kind' | 'action'> {
  const isRead = method === 'GET' || method === 'HEAD';
  const [kind, action] = ((): readonly [AuditKind, AuditEvent['action']] => {
    if (/\$[\w-]+$/.test(route)) return ['fhir.operation', 'E'];
    if (route.endsWith('_history/{version}')) return ['fhir.vread', 'R'];
    if (route.endsWith('_history')) return ['fhir.history', 'R'];
    if (route.endsWith('_search') || route.startsWith('{compartment}')) return search;
    if (route === '') return isRead ? search : ['fhir.bundle', 'E'];
    if (route === '{type}' && isRead) return search;
    return resourceKinds.get(method) ?? ['fhir.operation', 'E'];
  })();
  return { kind, action };
}

/**
 * What an interaction is about: the resource that was read or written, or the type, the parameters without their
 * values, and the numbers of resources that were found. Nothing that a client can choose freely is part of it: an id is
 * a UUID, and a parameter one that the search has applied.
 */
export function entitiesOf(
  interaction: Interaction,
  response?: Pick<FhirResponse, 'location' | 'version' | 'access'>,
): readonly AuditEntity[] {
  const { release, route } = interaction;
  const { access, version } = response ?? {};
  if (access?.entities) return access.entities;
  const found = access?.counts && {
    count: [...access.counts.values()].reduce((sum, count) => sum + count, 0),
    ...(access.counts.size > 1 ? { counts: Object.fromEntries(access.counts) } : {}),
  };
  const [operation] = /\$[\w-]+$/.exec(route) ?? [];
  const query = [...(operation === undefined ? [] : [operation]), ...new Set(access?.parameters)].join('&');
  return [
    {
      release,
      ...resourceOf(interaction, response?.location),
      ...(version === undefined ? {} : { version }),
      ...(query === '' ? {} : { query }),
      ...found,
    },
  ];
}

/** The type and the id in the path, or in the address of what was created. */
function resourceOf({ release, route, segments }: Interaction, location?: string): Pick<AuditEntity, 'type' | 'id'> {
  const [, createdType, createdId] = /\/([A-Za-z]+)\/([^/]+)\/_history\/\d+$/.exec(location ?? '') ?? [];
  const [first, second] = createdType === undefined ? segments : [createdType, createdId];
  if (first === undefined || !isResourceType(release, first)) return {};
  const hasId = createdId !== undefined || route.startsWith('{type}/{id}') || route.startsWith('{compartment}/{id}');
  return { type: first, ...(hasId && second !== undefined && isResourceId(second) ? { id: second } : {}) };
}
