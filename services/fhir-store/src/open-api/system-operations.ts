import type { Release } from '@tributary/fhir-definitions';
import { exampleRef, exampleResource } from './clinical-types';
import { type Paths, formBody, outcomeResponse } from './operations';
import { formProperties, refs, searchResultParameters } from './parameters';
import { contentOf, errorResponses, resourceResponse } from './responses';

const history = ['Histories'];
const system = ['Record'];
const operations = ['Operations'];

/** The operations on the record, the histories, and the operations of FHIR, for all types. */
export function systemPaths(release: Release): Paths {
  const bundle = (description: string): object => resourceResponse(release, { description, schema: 'Bundle' });
  const found = { 200: bundle('A Bundle of type searchset.'), ...errorResponses('NotFound', 'Gone') };
  const versions = { 200: bundle('A Bundle of type history.'), ...errorResponses('NotFound', 'Gone') };
  const parameters = resourceResponse(release, { description: 'Parameters with the meta.', schema: 'Parameters' });
  const meta = { 200: parameters, ...errorResponses('NotFound', 'Gone') };
  const anyOne = refs('AnyType', 'ResourceId');
  const page = refs('Count', 'Since', 'At');
  const patient = exampleResource(release, 'Patient');
  const anyResource = { $ref: '#/components/schemas/Resource' };
  const isValid = { ...outcomeResponse(release, 'What is wrong, or that nothing is.') };
  const validated = { 200: isValid, ...errorResponses('NotFound', 'Gone', 'TooLarge', 'UnsupportedMediaType') };
  const resourceBody = {
    required: true,
    content: contentOf(release, { schema: anyResource, examples: exampleRef('Patient') }),
  };
  const changeMeta = {
    required: true,
    content: contentOf(release, {
      schema: { $ref: '#/components/schemas/Parameters' },
      example: {
        resourceType: 'Parameters',
        parameter: [
          { name: 'meta', valueMeta: { tag: [{ system: 'https://app.example.org/tags', code: 'reviewed' }] } },
        ],
      },
    }),
  };
  const everything = refs('Types', 'Since', 'Start', 'End', 'Count');
  const parametersBody = {
    required: false,
    content: contentOf(release, {
      schema: { $ref: '#/components/schemas/Parameters' },
      example: { resourceType: 'Parameters' },
    }),
  };
  const inputErrors = errorResponses('NotFound', 'Gone', 'TooLarge', 'UnsupportedMediaType');
  return {
    '/metadata': {
      get: {
        operationId: 'getCapabilities',
        summary: 'The capabilities of the service in this release',
        description: 'Every resource type with its interactions, search parameters and operations. Needs no token.',
        tags: system,
        security: [],
        parameters: refs('Format'),
        responses: {
          200: resourceResponse(release, {
            description: release === 'dstu2' ? 'A Conformance.' : 'A CapabilityStatement.',
            schema: 'Resource',
          }),
          406: { $ref: '#/components/responses/NotAcceptable' },
        },
      },
    },
    '/': {
      get: {
        operationId: 'searchRecord',
        summary: 'Search all types, or those in _type',
        description: 'Only by parameters that all of these types have; others are refused with 400.',
        tags: system,
        parameters: [...refs('Types'), ...searchResultParameters, ...refs('Prefer')],
        responses: found,
      },
      post: {
        operationId: 'executeBundle',
        summary: 'Carry out a batch or a transaction',
        description: 'A transaction is carried out as a whole or not at all. The entries of a batch are independent.',
        tags: system,
        parameters: refs('Prefer'),
        requestBody: {
          required: true,
          content: contentOf(release, {
            schema: { $ref: '#/components/schemas/Bundle' },
            example: {
              resourceType: 'Bundle',
              type: 'transaction',
              entry: [
                {
                  fullUrl: 'urn:uuid:0f9d8c7b-6a5e-4d3c-8b2a-1f0e9d8c7b6a',
                  resource: patient,
                  request: { method: 'POST', url: 'Patient' },
                },
              ],
            },
          }),
        },
        responses: {
          200: bundle('A Bundle of type transaction-response or batch-response.'),
          ...errorResponses(
            'NotFound',
            'Conflict',
            'Gone',
            'PreconditionFailed',
            'TooLarge',
            'UnsupportedMediaType',
            'Unprocessable',
            'Forbidden',
            'OutcomeUnknown',
          ),
        },
      },
    },
    '/_search': {
      post: {
        operationId: 'searchRecordByForm',
        summary: 'Search all types with the parameters in a form',
        description: 'As the search by GET.',
        tags: system,
        parameters: refs('Prefer'),
        requestBody: formBody(formProperties([])),
        responses: { 200: bundle('A Bundle of type searchset.'), ...inputErrors },
      },
    },
    '/_history': {
      get: {
        operationId: 'getRecordHistory',
        summary: 'The versions of all resources',
        description: 'Newest first.',
        tags: history,
        parameters: page,
        responses: versions,
      },
    },
    '/{type}/_history': {
      get: {
        operationId: 'getTypeHistory',
        summary: 'The versions of all resources of a type',
        description: 'Newest first.',
        tags: history,
        parameters: [...refs('AnyType'), ...page],
        responses: versions,
      },
    },
    '/{type}/{id}/_history': {
      get: {
        operationId: 'getHistory',
        summary: 'The versions of a resource',
        description: 'Newest first, with deletions.',
        tags: history,
        parameters: [...anyOne, ...page],
        responses: versions,
      },
    },
    '/{type}/{id}/_history/{version}': {
      get: {
        operationId: 'readVersion',
        summary: 'Read one version of a resource',
        description: 'Also of a resource that was deleted later.',
        tags: history,
        parameters: [...anyOne, ...refs('Version', 'Summary', 'Elements')],
        responses: {
          200: resourceResponse(release, {
            description: 'The version.',
            schema: 'Resource',
            headers: ['ETag', 'Last-Modified'],
          }),
          ...errorResponses('NotFound', 'Gone'),
        },
      },
    },
    '/{type}/{id}/{member}': {
      get: {
        operationId: 'searchCompartment',
        summary: 'Search the compartment of a resource',
        description: 'What belongs to a patient, an encounter or another resource with a compartment.',
        tags: operations,
        parameters: [...anyOne, ...refs('Member'), ...searchResultParameters],
        responses: found,
      },
    },
    '/{type}/{id}/{member}/_search': {
      post: {
        operationId: 'searchCompartmentByForm',
        summary: 'Search the compartment of a resource with the parameters in a form',
        description: 'As the search by GET.',
        tags: operations,
        parameters: [...anyOne, ...refs('Member')],
        requestBody: formBody(formProperties([])),
        responses: { 200: bundle('A Bundle of type searchset.'), ...inputErrors },
      },
    },
    ...readingOperation('/Patient/$everything', 'everythingOfPatients', 'Everything of all patients of the record', []),
    ...readingOperation(
      '/Patient/{id}/$everything',
      'everythingOfPatient',
      "A patient's compartment, and what it refers to",
      refs('ResourceId'),
    ),
    '/Observation/$lastn': {
      get: {
        operationId: 'getLastObservations',
        summary: 'The latest observations of each code',
        description: 'With any search parameter of Observation.',
        tags: operations,
        parameters: [...refs('Max'), ...searchResultParameters],
        responses: found,
      },
      post: {
        operationId: 'getLastObservationsByParameters',
        summary: 'The latest observations of each code, with the parameters in a body',
        description: 'As by GET.',
        tags: operations,
        requestBody: parametersBody,
        responses: { 200: bundle('A Bundle of type searchset.'), ...inputErrors },
      },
    },
    '/{type}/$validate': {
      post: {
        operationId: 'validateNew',
        summary: 'Validate a resource without storing it',
        description: 'The same rules as for a create.',
        tags: operations,
        parameters: refs('AnyType'),
        requestBody: resourceBody,
        responses: validated,
      },
    },
    '/{type}/{id}/$validate': {
      get: {
        operationId: 'validateStored',
        summary: 'Validate a stored resource',
        description: 'Resources of health systems are stored as they came, and can be invalid.',
        tags: operations,
        parameters: anyOne,
        responses: { 200: isValid, ...errorResponses('NotFound', 'Gone') },
      },
      post: {
        operationId: 'validateUpdate',
        summary: 'Validate the next version of a resource without storing it',
        description: 'The same rules as for an update.',
        tags: operations,
        parameters: anyOne,
        requestBody: resourceBody,
        responses: validated,
      },
    },
    '/$meta': {
      get: {
        operationId: 'getRecordMeta',
        summary: 'The tags, profiles and security labels in use',
        description: 'Of all resources.',
        tags: operations,
        responses: meta,
      },
    },
    '/{type}/$meta': {
      get: {
        operationId: 'getTypeMeta',
        summary: 'The tags, profiles and security labels of a type',
        description: 'Of all resources of the type.',
        tags: operations,
        parameters: refs('AnyType'),
        responses: meta,
      },
    },
    '/{type}/{id}/$meta': {
      get: {
        operationId: 'getMeta',
        summary: 'The meta of a resource',
        description: 'Tags, profiles and security labels.',
        tags: operations,
        parameters: anyOne,
        responses: meta,
      },
    },
    '/{type}/{id}/$meta-add': {
      post: {
        operationId: 'addMeta',
        summary: 'Add tags, profiles or security labels to a resource',
        description: 'The other elements stay unchanged.',
        tags: operations,
        parameters: anyOne,
        requestBody: changeMeta,
        responses: {
          200: parameters,
          ...inputErrors,
          ...errorResponses('Forbidden', 'Unprocessable', 'OutcomeUnknown'),
        },
      },
    },
    '/{type}/{id}/$meta-delete': {
      post: {
        operationId: 'deleteMeta',
        summary: 'Remove tags, profiles or security labels from a resource',
        description: 'The other elements stay unchanged.',
        tags: operations,
        parameters: anyOne,
        requestBody: changeMeta,
        responses: {
          200: parameters,
          ...inputErrors,
          ...errorResponses('Forbidden', 'Unprocessable', 'OutcomeUnknown'),
        },
      },
    },
  };

  function readingOperation(path: string, operationId: string, summary: string, inPath: object[]): Paths {
    const shared = { summary, description: 'In pages, as a search.', tags: operations };
    return {
      [path]: {
        get: { operationId, ...shared, parameters: [...inPath, ...everything], responses: found },
        post: {
          operationId: `${operationId}ByParameters`,
          ...shared,
          summary: `${summary}, with the parameters in a body`,
          ...(inPath.length > 0 ? { parameters: inPath } : {}),
          requestBody: parametersBody,
          responses: { 200: bundle('A Bundle of type searchset.'), ...inputErrors },
        },
      },
    };
  }
}
