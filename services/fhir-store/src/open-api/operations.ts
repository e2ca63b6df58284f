import { exampleValues } from '@tributary/contracts';
import { type ParameterName, examplePatient, resultParameters } from './parameters';
import { bodyOf, emptyResponse, errorResponses, fileContent, formBody, patchBody, resourceResponse } from './responses';

interface Parts {
  /** Without those of the path. */
  parameters?: readonly ParameterName[];
  requestBody?: object;
  responses: object;
  /** Empty where no token is necessary. */
  security?: [];
}

/** An operation: its id, its method and its path below the release, and its summary with further sentences. */
type Operation = [id: string, call: string, text: string, parts: Parts];

const reading = errorResponses('NotFound', 'Gone');
const reception = { ...reading, ...errorResponses('TooLarge', 'UnsupportedMediaType') };
const deletion = errorResponses('NotFound', 'Forbidden', 'PreconditionFailed', 'OutcomeUnknown');
const changeOfMeta = { ...reception, ...errorResponses('Forbidden', 'Unprocessable', 'OutcomeUnknown') };
const writing = { ...changeOfMeta, ...errorResponses('Conflict', 'PreconditionFailed') };

const stored = ['ETag', 'Last-Modified'] as const;
const written = [...stored, 'Location'] as const;
const ofFile = [...stored, 'Content-Disposition', 'Content-Range', 'X-Security-Context'] as const;
const outcome = (description: string): object => resourceResponse(description, 'OperationOutcome');
const searchset = resourceResponse('A Bundle of type searchset.', 'Bundle');
const unchanged = emptyResponse('The caller has the current version.', stored);
const newVersion = { 200: resourceResponse('The new version.', 'Resource', written) };
const updated = {
  ...newVersion,
  201: resourceResponse('It did not exist, and is created.', 'Resource', written),
  ...writing,
  ...errorResponses('IdNotAllowed'),
};
const created = {
  200: resourceResponse('With If-None-Exist: the resource that exists.', 'Resource', written),
  201: resourceResponse('The stored resource.', 'Resource', written),
  ...writing,
};

const fileResponses = {
  200: fileContent(resourceResponse('The file.', 'Resource', ofFile)),
  206: fileContent(emptyResponse('The range of the content.', ofFile)),
};

const found = (...parameters: ParameterName[]): Parts => ({ parameters, responses: { 200: searchset, ...reading } });
const foundByForm: Parts = { requestBody: formBody, responses: { 200: searchset, ...reception } };
const input = { ...bodyOf('Parameters', { resourceType: 'Parameters' }), required: false };
const foundByParameters: Parts = { requestBody: input, responses: { 200: searchset, ...reception } };
const versions: Parts = {
  parameters: ['_count', '_since', '_at'],
  responses: { 200: resourceResponse('A Bundle of type history.', 'Bundle'), ...reading },
};
const meta = { 200: resourceResponse('Parameters with the meta.', 'Parameters') };
const tag = [{ system: 'https://app.example.org/tags', code: 'reviewed' }];
const changedMeta: Parts = {
  requestBody: bodyOf('Parameters', { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag } }] }),
  responses: { ...meta, ...changeOfMeta },
};
const isValid = { 200: outcome('What is wrong, or that nothing is.') };
const validated: Parts = {
  requestBody: bodyOf('Resource', examplePatient),
  responses: { ...isValid, ...reception },
};
const selection = ['criteria', '_id', '_lastUpdated', '_has', 'If-Match', 'Prefer'] as const;
const partOfResource = ['If-None-Match', 'If-Modified-Since', '_summary', '_elements', '_format'] as const;
const everything = ['_type', '_since', 'start', 'end', '_count'] as const;
const latest = 'The latest observations of each code';
const exampleBundle = {
  resourceType: 'Bundle',
  type: 'transaction',
  entry: [
    {
      fullUrl: 'urn:uuid:0f9d8c7b-6a5e-4d3c-8b2a-1f0e9d8c7b6a',
      resource: examplePatient,
      request: { method: 'POST', url: 'Patient' },
    },
  ],
};

/** The operations by their tag: https://hl7.org/fhir/R4/http.html. */
export const operations: ReadonlyMap<string, readonly Operation[]> = new Map([
  [
    'Record',
    [
      [
        'getCapabilities',
        'get /metadata',
        'The capabilities of the service in a release. Every resource type with its interactions, search parameters and operations; in DSTU2 a Conformance. Needs no token.',
        {
          security: [],
          parameters: ['_format'],
          responses: {
            200: resourceResponse('A CapabilityStatement.'),
            406: { $ref: '#/components/responses/NotAcceptable' },
          },
        },
      ],
      [
        'searchRecord',
        'get ',
        'Search all types, or those in _type. Only by parameters that all of these types have; others are refused with 400.',
        found('_type', ...resultParameters, 'Prefer'),
      ],
      ['searchRecordByForm', 'post /_search', 'Search all types with the parameters in a form', foundByForm],
      [
        'executeBundle',
        'post ',
        'Carry out a batch or a transaction. A transaction is carried out as a whole or not at all. The entries of a batch are independent.',
        {
          parameters: ['Prefer'],
          requestBody: bodyOf('Bundle', exampleBundle),
          responses: {
            200: resourceResponse('A Bundle of type transaction-response or batch-response.', 'Bundle'),
            ...writing,
          },
        },
      ],
    ],
  ],
  [
    'Resources',
    [
      [
        'searchResource',
        'get /{type}',
        'Search a type. By any search parameter of the type; each can have modifiers such as `:not` and `:in`. Unknown parameters are ignored, and reported in an entry with the search mode `outcome`.',
        found('criteria', ...resultParameters, 'Prefer'),
      ],
      [
        'searchResourceByForm',
        'post /{type}/_search',
        'Search a type with the parameters in a form. For parameters that must not be in an address.',
        foundByForm,
      ],
      [
        'createResource',
        'post /{type}',
        'Create a resource. The service assigns the id; a submitted one is ignored.',
        {
          parameters: ['If-None-Exist', 'Prefer'],
          requestBody: bodyOf('Resource', examplePatient),
          responses: created,
        },
      ],
      [
        'updateResourceBySearch',
        'put /{type}',
        'Update the resource that a search matches, or create it. Several matches are refused with 412.',
        { parameters: selection, requestBody: bodyOf('Resource', examplePatient), responses: updated },
      ],
      [
        'patchResourceBySearch',
        'patch /{type}',
        'Patch the resource that a search matches. Several matches are refused with 412, none with 404.',
        { parameters: selection, requestBody: patchBody, responses: { ...newVersion, ...writing } },
      ],
      [
        'deleteResourceBySearch',
        'delete /{type}',
        'Delete every resource that a search matches. The versions stay readable. A search without criteria is refused.',
        {
          parameters: selection,
          responses: {
            200: outcome('They are deleted; `diagnostics` says how many.'),
            204: emptyResponse('They are deleted, with `Prefer: return=minimal`.'),
            ...deletion,
          },
        },
      ],
      [
        'readResource',
        'get /{type}/{id}',
        'Read a resource. The current version.',
        {
          parameters: partOfResource,
          responses: { 200: resourceResponse('The resource.', 'Resource', stored), 304: unchanged, ...reading },
        },
      ],
      [
        'updateResource',
        'put /{type}/{id}',
        'Store the next version of a resource. Under a new UUID the resource is created. A part of a resource, tagged as SUBSETTED, is refused with 422.',
        {
          parameters: ['If-Match', 'Prefer'],
          requestBody: bodyOf('Resource', { ...examplePatient, id: exampleValues.resource_id }),
          responses: updated,
        },
      ],
      [
        'patchResource',
        'patch /{type}/{id}',
        'Patch a resource. By a JSON Patch (RFC 6902), or in R4 by a FHIRPath Patch in Parameters.',
        { parameters: ['If-Match', 'Prefer'], requestBody: patchBody, responses: { ...newVersion, ...writing } },
      ],
      [
        'deleteResource',
        'delete /{type}/{id}',
        'Delete a resource. Its versions stay readable.',
        {
          parameters: ['If-Match', 'Prefer'],
          responses: {
            200: outcome('It is deleted.'),
            204: emptyResponse('It is deleted, or did not exist.', ['ETag']),
            ...deletion,
          },
        },
      ],
    ],
  ],
  [
    'Binary',
    [
      [
        'createBinary',
        'post /Binary',
        'Store a file. As FHIR JSON, or as its content in any other media type.',
        {
          parameters: ['X-Security-Context', 'If-None-Exist', 'Prefer'],
          requestBody: fileContent(bodyOf('Resource')),
          responses: created,
        },
      ],
      [
        'readBinary',
        'get /Binary/{id}',
        'Read a file. The content in its own media type, unless `Accept` names FHIR JSON with at least the same weight.',
        {
          parameters: ['Range', ...partOfResource],
          responses: { ...fileResponses, 304: unchanged, ...reading },
        },
      ],
      [
        'readBinaryVersion',
        'get /Binary/{id}/_history/{version}',
        'Read one version of a file. Also of one that was deleted later; the content is as of a read.',
        { parameters: ['Range', '_summary', '_elements', '_format'], responses: { ...fileResponses, ...reading } },
      ],
      [
        'updateBinary',
        'put /Binary/{id}',
        'Store the next version of a file. As FHIR JSON, or as its content in any other media type.',
        {
          parameters: ['X-Security-Context', 'If-Match', 'Prefer'],
          requestBody: fileContent(bodyOf('Resource')),
          responses: updated,
        },
      ],
    ],
  ],
  [
    'Histories',
    [
      ['getRecordHistory', 'get /_history', 'The versions of all resources. Newest first.', versions],
      ['getTypeHistory', 'get /{type}/_history', 'The versions of all resources of a type. Newest first.', versions],
      [
        'getHistory',
        'get /{type}/{id}/_history',
        'The versions of a resource. Newest first, with deletions.',
        versions,
      ],
      [
        'readVersion',
        'get /{type}/{id}/_history/{version}',
        'Read one version of a resource. Also of a resource that was deleted later.',
        {
          parameters: ['_summary', '_elements'],
          responses: { 200: resourceResponse('The version.', 'Resource', stored), ...reading },
        },
      ],
    ],
  ],
  [
    'Operations',
    [
      [
        'searchCompartment',
        'get /{type}/{id}/{member}',
        'Search the compartment of a resource. What belongs to a patient, an encounter or another resource with a compartment.',
        found('criteria', ...resultParameters),
      ],
      [
        'searchCompartmentByForm',
        'post /{type}/{id}/{member}/_search',
        'Search the compartment of a resource with the parameters in a form',
        foundByForm,
      ],
      ...bothWays(
        'everythingOfPatients',
        '/Patient/$everything',
        'Everything of all patients of the record',
        everything,
      ),
      ...bothWays(
        'everythingOfPatient',
        '/Patient/{id}/$everything',
        "A patient's compartment, and what it refers to",
        everything,
      ),
      ...bothWays('getLastObservations', '/Observation/$lastn', latest, ['max', 'criteria', ...resultParameters]),
      ['validateNew', 'post /{type}/$validate', 'Validate a resource without storing it', validated],
      [
        'validateStored',
        'get /{type}/{id}/$validate',
        'Validate a stored resource. Resources of health systems are stored as they came, and can be invalid.',
        { responses: { ...isValid, ...reading } },
      ],
      [
        'validateUpdate',
        'post /{type}/{id}/$validate',
        'Validate the next version of a resource without storing it',
        validated,
      ],
      [
        'getRecordMeta',
        'get /$meta',
        'The tags, profiles and security labels in use',
        { responses: { ...meta, ...reading } },
      ],
      [
        'countResources',
        'get /$counts',
        'The number of resources by type and by year of care. Each parameter `count` has the parts `type`, `year` and `value`. The year is the one in which the date of care begins, in UTC; it is absent where a resource has no such date.',
        {
          parameters: ['_releasePerSource'],
          responses: { 200: resourceResponse('Parameters with the counts.', 'Parameters'), ...reading },
        },
      ],
      [
        'getTypeMeta',
        'get /{type}/$meta',
        'The tags, profiles and security labels of a type',
        { responses: { ...meta, ...reading } },
      ],
      [
        'getMeta',
        'get /{type}/{id}/$meta',
        'The tags, profiles and security labels of a resource',
        { responses: { ...meta, ...reading } },
      ],
      ['addMeta', 'post /{type}/{id}/$meta-add', 'Add tags, profiles or security labels to a resource', changedMeta],
      [
        'deleteMeta',
        'post /{type}/{id}/$meta-delete',
        'Remove tags, profiles or security labels from a resource',
        changedMeta,
      ],
    ],
  ],
]);

/** An operation with its parameters in the address, or in a Parameters resource. */
function bothWays(id: string, path: string, text: string, parameters: readonly ParameterName[]): Operation[] {
  return [
    [id, `get ${path}`, `${text}. In pages, as a search.`, found(...parameters)],
    [`${id}ByParameters`, `post ${path}`, `${text}, with the parameters in a body`, foundByParameters],
  ];
}
