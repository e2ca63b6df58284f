import { type AccessTokens, type AnyRoute, type Api, anyone, accessTokenAuthentication } from '@tributary/service-kit';
import { z } from 'zod';

type Described = Pick<AnyRoute, 'method' | 'path' | 'operationId' | 'summary'> & Partial<AnyRoute>;

const fhirJson = 'application/fhir+json';
const release = z.enum(['dstu2', 'stu3', 'r4']).describe('The FHIR release of the resources.');
const type = z.string().describe('A resource type of the release.');
const id = z.uuid().describe('The id that the service assigned.');
const resource = z.looseObject({ resourceType: z.string() }).describe('A FHIR resource.');
const bundle = z.looseObject({ resourceType: z.literal('Bundle'), type: z.string() }).describe('A FHIR Bundle.');
const outcome = z.looseObject({ resourceType: z.literal('OperationOutcome') }).describe('What is wrong, and where.');
const searchQuery = z.looseObject({
  _id: z.string().optional(),
  _lastUpdated: z.string().optional(),
  _count: z.string().optional().describe('Resources on a page: 20 by default, at most 1,000.'),
  _sort: z.string().optional(),
  _include: z.string().optional(),
  _revinclude: z.string().optional(),
});

const convertResource =
  'With Accept: application/fhir+json; fhirVersion=4.0 resources of dstu2 and stu3 are converted to R4 and tagged';
const handling =
  'Parameters and sorts that are not supported are ignored, and listed in an OperationOutcome at the start of the Bundle; Prefer: handling=strict refuses them with 400. The first page has the total, unless _total=none is sent.';
const codeSets =
  'Codes can also be searched by value set (:in, :not-in: a ValueSet of the record by id or url, or one of the release) and by their position in the hierarchy of a code system (:above, :below); unknown value sets and code systems are refused with 400. A page holds at most 16 MB.';
const bundleInR4 = `${convertResource}; an OperationOutcome in the Bundle reports what is left out. _releasePerSource=newest then keeps, of each health system, only the newest release in which the record has it.`;
const notInRelease = {
  406: {
    description: 'The release that fhirVersion requests is not available, or the resource cannot be converted to it.',
    schema: outcome,
    contentType: fhirJson,
  },
};

const historyQuery = z.object({
  _count: z.string().optional(),
  _since: z.string().optional(),
  _at: z.string().optional(),
});

const inType = z.object({ release, type });
const instance = inType.extend({ id });

const routes: readonly Described[] = [
  {
    method: 'get',
    path: '/{release}/metadata',
    operationId: 'capabilities',
    summary: 'The capabilities of this service in the release',
    params: z.object({ release }),
  },
  {
    method: 'get',
    path: '/{release}/{type}',
    operationId: 'search',
    summary: 'Search resources of a type',
    description: `With any search parameter of the type; \`/{release}/metadata\` lists them. ${handling} ${codeSets} ${bundleInR4}`,
    params: inType,
    query: searchQuery,
    responses: { ...responsesOf(200, bundle), ...notInRelease },
  },
  {
    method: 'post',
    path: '/{release}/{type}/_search',
    operationId: 'searchByForm',
    summary: 'Search with the parameters in a form',
    params: inType,
    responses: responsesOf(200, bundle),
  },
  {
    method: 'post',
    path: '/{release}/{type}',
    operationId: 'create',
    summary: 'Create a resource',
    description:
      'The service assigns the id; a submitted one is ignored. The answer to the creation of a Patient shows birthDate as a full timestamp, which updates take as its date. A Binary can be sent as its content, in any media type; X-Security-Context then has its securityContext.',
    params: inType,
    body: resource,
    responses: {
      ...responsesOf(201, resource),
      422: { description: 'The resource is not valid.', schema: outcome, contentType: fhirJson },
    },
  },
  {
    method: 'get',
    path: '/{release}/{type}/{id}',
    operationId: 'read',
    summary: 'Read a resource',
    description: `${convertResource}.`,
    params: instance,
    responses: { ...responsesOf(200, resource), ...notInRelease },
  },
  {
    method: 'get',
    path: '/{release}/Binary/{id}',
    operationId: 'readBinary',
    summary: 'Read a Binary, as it is or as FHIR JSON',
    description:
      'The content in the media type of the Binary, unless Accept names FHIR JSON with at least the same weight. A Range of bytes is answered with 206.',
    params: z.object({ release, id }),
    responses: {
      ...responsesOf(200, z.string().describe('The content.')),
      200: {
        description: 'The content as a file.',
        schema: z.string().describe('The content.'),
        contentType: '*/*',
      },
      ...notInRelease,
    },
  },
  {
    method: 'put',
    path: '/{release}/{type}/{id}',
    operationId: 'update',
    summary: 'Store the next version of a resource',
    description:
      'With If-Match only if it is at that version. Under a new UUID it is created. A part of a resource, tagged as SUBSETTED, is refused with 422.',
    params: instance,
    body: resource,
  },
  {
    method: 'patch',
    path: '/{release}/{type}/{id}',
    operationId: 'patch',
    summary: 'Change a resource by a patch',
    description: 'A JSON Patch as application/json-patch+json; in r4 also a FHIRPath Patch.',
    params: instance,
  },
  {
    method: 'delete',
    path: '/{release}/{type}/{id}',
    operationId: 'delete',
    summary: 'Delete a resource',
    description: 'Its versions stay readable.',
    params: instance,
    responses: { ...responsesOf(200, outcome), 204: { description: 'It is deleted.' } },
  },
  {
    method: 'put',
    path: '/{release}/{type}',
    operationId: 'conditionalUpdate',
    summary: 'Update what the search parameters match, or create',
    params: inType,
    query: searchQuery,
    body: resource,
  },
  {
    method: 'delete',
    path: '/{release}/{type}',
    operationId: 'conditionalDelete',
    summary: 'Delete everything that the search parameters match',
    params: inType,
    query: searchQuery,
    responses: { 204: { description: 'It is deleted.' } },
  },
  {
    method: 'get',
    path: '/{release}/{type}/{id}/_history',
    operationId: 'instanceHistory',
    summary: 'The versions of a resource',
    description: `${convertResource}; the other histories, $everything and $lastn do the same.`,
    params: instance,
    query: historyQuery,
    responses: responsesOf(200, bundle),
  },
  {
    method: 'get',
    path: '/{release}/{type}/{id}/_history/{version}',
    operationId: 'vread',
    summary: 'Read one version',
    description: `${convertResource}.`,
    params: instance.extend({ version: z.string().describe('As in meta.versionId.') }),
    responses: { ...responsesOf(200, resource), ...notInRelease },
  },
  {
    method: 'get',
    path: '/{release}/{type}/_history',
    operationId: 'typeHistory',
    summary: 'The versions of all resources of a type',
    params: inType,
    query: historyQuery,
    responses: responsesOf(200, bundle),
  },
  {
    method: 'get',
    path: '/{release}/_history',
    operationId: 'systemHistory',
    summary: 'The versions of all resources',
    params: z.object({ release }),
    query: historyQuery,
    responses: responsesOf(200, bundle),
  },
  {
    method: 'get',
    path: '/{release}',
    operationId: 'searchAll',
    summary: 'Search all types, or those in _type',
    description: 'Only by parameters that all of these types have; others are refused with 400.',
    params: z.object({ release }),
    query: searchQuery,
    responses: responsesOf(200, bundle),
  },
  {
    method: 'post',
    path: '/{release}',
    operationId: 'bundle',
    summary: 'Carry out a batch or a transaction',
    params: z.object({ release }),
    body: bundle,
    responses: responsesOf(200, bundle),
  },
  {
    method: 'get',
    path: '/{release}/{type}/{id}/{member}',
    operationId: 'compartmentSearch',
    summary: 'Search the compartment of a resource',
    params: instance.extend({ member: z.string().describe('A type of the compartment, or *.') }),
    query: searchQuery,
    responses: responsesOf(200, bundle),
  },
  {
    method: 'get',
    path: '/{release}/Patient/{id}/$everything',
    operationId: 'everything',
    summary: "A patient's compartment and what it refers to",
    params: z.object({ release, id }),
    query: z.object({
      _type: z.string().optional(),
      _since: z.string().optional(),
      start: z.string().optional(),
      end: z.string().optional(),
      _count: z.string().optional(),
    }),
    responses: responsesOf(200, bundle),
  },
  {
    method: 'get',
    path: '/{release}/Observation/$lastn',
    operationId: 'lastn',
    summary: 'The latest observations of each code',
    params: z.object({ release }),
    query: searchQuery.extend({ max: z.string().optional() }),
    responses: responsesOf(200, bundle),
  },
  {
    method: 'post',
    path: '/{release}/{type}/$validate',
    operationId: 'validate',
    summary: 'Validate a resource without storing it',
    params: inType,
    body: resource,
    responses: responsesOf(200, outcome),
  },
  {
    method: 'get',
    path: '/{release}/{type}/{id}/$meta',
    operationId: 'meta',
    summary: 'The meta of a resource',
    description: '$meta also works on types and the record; $meta-add and $meta-delete change it.',
    params: instance,
  },
];

/** Adds the FHIR routes to the OpenAPI document. The FHIR endpoint serves these routes before the API is called. */
export function documentFhir(api: Api, tokens: AccessTokens): void {
  const user = accessTokenAuthentication(tokens);
  for (const route of routes) {
    const authentication = route.operationId === 'capabilities' ? anyone : user;
    api.describe({ authentication, tags: ['FHIR'], responses: responsesOf(200, resource), ...route });
  }
}

function responsesOf(status: number, schema: z.ZodType): AnyRoute['responses'] {
  return {
    [status]: { description: 'The response that FHIR specifies.', schema, contentType: fhirJson },
    400: { description: 'The request is malformed.', schema: outcome, contentType: fhirJson },
    401: { description: 'The access token is missing or not valid.', schema: outcome, contentType: fhirJson },
  };
}
