import { type AccessTokens, type AnyRoute, type Api, anyone, userToken } from '@tributary/service-kit';
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
  _count: z.string().optional().describe('Resources on a page: 20 unless said otherwise, at most 1,000.'),
  _sort: z.string().optional(),
  _include: z.string().optional(),
  _revinclude: z.string().optional(),
});

const inType = z.object({ release, type });
const instance = inType.extend({ id });

const routes: readonly Described[] = [
  { method: 'get', path: '/{release}/metadata', operationId: 'capabilities', summary: 'What this service can do in the release', params: z.object({ release }) },
  { method: 'get', path: '/{release}/{type}', operationId: 'search', summary: 'Search resources of a type', description: 'With any search parameter of the type; `/{release}/metadata` lists them.', params: inType, query: searchQuery, responses: answers(200, bundle) },
  { method: 'post', path: '/{release}/{type}/_search', operationId: 'searchByForm', summary: 'Search with the parameters in a form', params: inType, responses: answers(200, bundle) },
  { method: 'post', path: '/{release}/{type}', operationId: 'create', summary: 'Create a resource', description: 'The service assigns the id; a submitted one is ignored. The answer to the creation of a Patient shows birthDate as a full timestamp.', params: inType, body: resource, responses: { ...answers(201, resource), 422: { description: 'The resource is not valid.', schema: outcome, contentType: fhirJson } } },
  { method: 'get', path: '/{release}/{type}/{id}', operationId: 'read', summary: 'Read a resource', params: instance },
];

/** Describes the FHIR addresses in the API's document; the FHIR endpoint, which comes before the API, answers them. */
export function documentFhir(api: Api, tokens: AccessTokens): void {
  const user = userToken(tokens);
  for (const route of routes) {
    const authentication = route.operationId === 'capabilities' ? anyone : user;
    api.describe({ authentication, tags: ['FHIR'], responses: answers(200, resource), ...route });
  }
}

function answers(status: number, schema: z.ZodType): AnyRoute['responses'] {
  return {
    [status]: { description: 'As FHIR says.', schema, contentType: fhirJson },
    400: { description: 'The request is not understood.', schema: outcome, contentType: fhirJson },
    401: { description: 'The access token is missing or not valid.', schema: outcome, contentType: fhirJson },
  };
}

