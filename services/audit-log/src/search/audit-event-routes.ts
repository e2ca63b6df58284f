import { positionOfEvent } from '@tributary/audit-log';
import { exampleValues, operationOutcome } from '@tributary/contracts';
import {
  type Api,
  type Authentication,
  HttpError,
  type RouteLimit,
  type RouteRequest,
  type UserOrClient,
  badRequest,
} from '@tributary/service-kit';
import { z } from 'zod';
import type { AuditBlocks, FoundEvent } from '../blocks/audit-blocks';
import { auditEventResource } from '../fhir/audit-event-resource';
import { ownSystems } from '../fhir/vocabulary';
import { type AuditQuery, auditQuery, isVisibleTo, namedEvents, searchParameters } from './audit-query';
import { type EventPage, type PageLimits, type PagePosition, findEvents } from './find-events';
import { type PageLinks, type SentParameters, pageParameter } from './page-links';

/** The path of the FHIR API, below {base_url}. */
export const fhirPath = '/audit/r4';

const fhirJson = 'application/fhir+json';
/** So that a page takes about two seconds at most. */
export const pageLimits: PageLimits = { blocks: 20_000, milliseconds: 2000 };

const resource = z.looseObject({ resourceType: z.literal('AuditEvent'), id: z.string() }).meta({ id: 'AuditEvent' });
const bundle = z
  .looseObject({
    resourceType: z.literal('Bundle'),
    type: z.literal('searchset'),
    link: z.array(z.object({ relation: z.enum(['self', 'next']), url: z.url() })),
    entry: z
      .array(
        z.union([
          z.looseObject({ fullUrl: z.url(), resource }),
          z.looseObject({ resource: operationOutcome, search: z.object({ mode: z.literal('outcome') }) }),
        ]),
      )
      .optional(),
  })
  .meta({ id: 'AuditEventBundle' });

export interface AuditEventDependencies {
  caller: Authentication<UserOrClient>;
  limits: RouteLimit[];
  log: AuditBlocks;
  links: PageLinks;
  pageLimits: PageLimits;
  /** {base_url}. */
  baseUrl: string;
}

/** What both searches, by GET and by POST, need of a call. */
type SearchCall = Pick<
  RouteRequest<UserOrClient, undefined, undefined, undefined, undefined>,
  'request' | 'response' | 'principal' | 'audit'
>;

const errors = {
  401: { description: 'The credentials are missing or wrong.' },
  403: {
    description: 'The scope of the access token does not cover AuditEvent.',
    headers: ['WWW-Authenticate'],
    codes: ['insufficient_scope'],
  },
} as const;

/** Serves the audit events of a caller as AuditEvent of R4: search and read. */
export function serveAuditEvents(api: Api, dependencies: AuditEventDependencies): void {
  const { caller, limits, log, baseUrl } = dependencies;
  const common = {
    tags: ['Audit events'],
    authentication: caller,
    limits,
    audit: { kind: 'audit.read', action: 'R' } as const,
  };
  api.route(
    {
      ...common,
      method: 'get',
      path: `${fhirPath}/AuditEvent`,
      operationId: 'searchAuditEvents',
      summary: 'Search the audit events of a user, or of all users of a client',
      description:
        'A user sees the events of the own record, a client those of its users. A page can have fewer events than `_count`, or none, and yet a next page: the search continues there. An OperationOutcome on an empty page says how far it has come.',
      query: searchParameters.extend({
        [pageParameter]: z.string().optional().describe('Continues a search; only as a link of a page has it.'),
      }),
      responses: { 200: { description: 'A page of events.', contentType: fhirJson, schema: bundle }, ...errors },
    },
    (call) => pageOf(call.request.query as SentParameters, call, dependencies),
  );
  api.route(
    {
      ...common,
      method: 'post',
      path: `${fhirPath}/AuditEvent/_search`,
      operationId: 'searchAuditEventsByPost',
      summary: 'Search audit events with the parameters in a form',
      description: 'As the search by GET, whose links to further pages it has.',
      body: searchParameters,
      bodyTypes: ['application/x-www-form-urlencoded'],
      responses: { 200: { description: 'A page of events.', contentType: fhirJson, schema: bundle }, ...errors },
    },
    // Without a body, a search without parameters.
    (call) => pageOf((call.request.body ?? {}) as SentParameters, call, dependencies),
  );
  api.route(
    {
      ...common,
      method: 'get',
      path: `${fhirPath}/AuditEvent/{id}`,
      operationId: 'readAuditEvent',
      summary: 'Read an audit event',
      params: z.object({
        id: z
          .string()
          .describe('The id of the event.')
          .meta({ examples: [exampleValues.audit_event_id] }),
      }),
      responses: {
        200: { description: 'The event.', contentType: fhirJson, schema: resource },
        ...errors,
        404: { description: 'The caller has no such event.' },
      },
    },
    async ({ params, response, principal, audit }) => {
      const position = positionOfEvent(params.id);
      const found = position && (await log.find(position));
      if (!found || !isVisibleTo(principal, found)) throw new HttpError('not_found', 'there is no such AuditEvent');
      const { subject } = found.event;
      audit({ ...(subject === undefined ? {} : { subject }), entities: [{ type: 'AuditEvent', id: found.id }] });
      response.type(fhirJson);
      return auditEventResource(found, baseUrl);
    },
  );
}

/** A page of a search as a Bundle (https://hl7.org/fhir/R4/http.html#paging). */
async function pageOf(
  given: SentParameters,
  { request, response, principal: caller, audit }: SearchCall,
  dependencies: AuditEventDependencies,
): Promise<object> {
  const { links, baseUrl } = dependencies;
  const sent = continued(given, caller, links);
  const parameters = searchParameters.parse(sent.parameters);
  const query = auditQuery(parameters, caller, ownSystems(baseUrl));
  const named = namedEvents(parameters);
  const { events, unopened, next } = named
    ? await readEvents(named, query, dependencies.log)
    : await findEvents(dependencies.log, query, sent.position, dependencies.pageLimits);
  const url = `${baseUrl}${fhirPath}/AuditEvent`;
  const nextUrl = next && `${url}?${pageParameter}=${links.seal(sent.parameters, next, caller)}`;
  const entry = [
    ...events.map((found) => ({
      fullUrl: `${url}/${found.id}`,
      resource: auditEventResource(found, baseUrl),
      search: { mode: 'match' },
    })),
    ...(unopened === 0 ? [] : [{ resource: incompleteOutcome(unopened), search: { mode: 'outcome' } }]),
    ...(next && events.length === 0 ? [{ resource: reachedOutcome(next, query), search: { mode: 'outcome' } }] : []),
  ];
  const names = Object.keys(sent.parameters).filter((name) => name !== '_format');
  const entity = { type: 'AuditEvent', query: names.join('&'), count: events.length };
  const [subject, ...others] = new Set(events.map(({ event }) => event.subject));
  audit({ ...(others.length === 0 ? { subject } : {}), entities: [entity] });
  response.type(fhirJson);
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    link: [
      { relation: 'self', url: `${baseUrl}${request.url}` },
      ...(nextUrl === undefined ? [] : [{ relation: 'next', url: nextUrl }]),
    ],
    ...(entry.length === 0 ? {} : { entry }),
  };
}

/** States that events may be missing: blocks in which the caller is named could not be opened. */
function incompleteOutcome(unopened: number): object {
  return {
    resourceType: 'OperationOutcome',
    issue: [
      {
        severity: 'warning',
        code: 'incomplete',
        diagnostics: `events may be missing: ${unopened} ${unopened === 1 ? 'block' : 'blocks'} of the audit log cannot be opened`,
      },
    ],
  };
}

/**
 * The parameters and place of a page. The link of a next page has no other parameter.
 * @throws HttpError 400
 */
function continued(
  { [pageParameter]: token, ...parameters }: SentParameters,
  caller: UserOrClient,
  links: PageLinks,
): { parameters: SentParameters; position?: PagePosition } {
  if (token === undefined) return { parameters };
  const opened = Object.keys(parameters).length === 0 ? links.open(String(token), caller) : undefined;
  if (!opened)
    throw badRequest(`${pageParameter}: use the link of the page unchanged, with the credentials of the same caller`);
  return opened;
}

/** States how far the search of an empty page has come, which the next page continues. */
function reachedOutcome({ time }: PagePosition, { isDescending }: AuditQuery): object {
  const diagnostics = `searched ${isDescending ? 'back to' : 'up to'} ${new Date(time).toISOString()}: the next page goes on`;
  return {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'information', code: 'informational', diagnostics }],
  };
}

async function readEvents(
  positions: NonNullable<ReturnType<typeof namedEvents>>,
  { matches, isDescending }: AuditQuery,
  log: AuditBlocks,
): Promise<EventPage> {
  const events: FoundEvent[] = [];
  let unopened = 0;
  for (const { streamId, sequence, index } of positions) {
    const block = await log.block(streamId, sequence);
    if (block && !block.isOpened) unopened++;
    const found = block?.events[index];
    if (found && matches(found)) events.push(found);
  }
  events.sort((one, other) => (one.recordedAt - other.recordedAt) * (isDescending ? -1 : 1));
  return { events, unopened };
}
