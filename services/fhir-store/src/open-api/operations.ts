import type { Release } from '@tributary/fhir-definitions';
import { exampleRef } from './clinical-types';
import { formProperties, refs, searchResultParameters, typeParameterRefs, typeParameters } from './parameters';
import { contentOf, emptyResponse, errorResponses, resourceResponse } from './responses';

export type Paths = Record<string, Record<string, object>>;

const stored = ['ETag', 'Last-Modified'];
const written = [...stored, 'Location'];
const writeErrors = [
  'Conflict',
  'PreconditionFailed',
  'TooLarge',
  'UnsupportedMediaType',
  'Unprocessable',
  'Forbidden',
  'OutcomeUnknown',
] as const;

/** The operations of one type, or of all types without paths of their own. */
interface TypeContext {
  release: Release;
  /** The prefix of the paths: `/Patient` or `/{type}`. */
  path: string;
  /** The end of the operation ids: `Patient`, or `Resource`. */
  name: string;
  /** The type of the examples. */
  exampleType: string;
  /** The component of its schema. */
  schema: string;
  tag: string;
  /** The parameters of the path. */
  inPath: object[];
}

const jsonPatchMedia = 'application/json-patch+json';
const patchExample = [{ op: 'add', path: '/language', value: 'en' }];

/** The operations on `/{type}` and `/{type}/{id}`: https://hl7.org/fhir/R4/http.html. */
export function typePaths(context: TypeContext): Paths {
  const { release, path, name, exampleType, schema, tag, inPath } = context;
  const tags = [tag];
  const resource = { $ref: `#/components/schemas/${schema}` };
  const body = { required: true, content: contentOf(release, { schema: resource, examples: exampleRef(exampleType) }) };
  const own = path.includes('{') ? [] : typeParameterRefs(release, exampleType);
  const criteria = [...inPath, ...own, ...searchResultParameters];
  const selection = [...inPath, ...own, ...refs('Id', 'LastUpdated', 'Has', 'IfMatch', 'Prefer')];
  const at = [...inPath, ...refs('ResourceId')];
  const reply = (description: string, headers: readonly string[]): object =>
    resourceResponse(release, { description, schema, examples: exampleRef(`${exampleType}.stored`), headers });
  const bundle = resourceResponse(release, { description: 'A Bundle of type searchset.', schema: 'Bundle' });
  const update = {
    200: reply('The new version.', written),
    201: reply('It did not exist, and is created.', written),
  };
  const patch = {
    required: true,
    content: {
      [jsonPatchMedia]: { schema: { $ref: '#/components/schemas/JsonPatch' }, example: patchExample },
      ...(release === 'r4'
        ? {
            'application/fhir+json': {
              schema: { $ref: '#/components/schemas/Parameters' },
              example: fhirPathPatch(exampleType),
            },
          }
        : {}),
    },
  };
  return {
    [path]: {
      get: {
        operationId: `search${name}`,
        summary: `Search ${name}`,
        description: `Finds ${name} resources of the user by any of the parameters; each can have modifiers such as \`:not\` and \`:in\`. Unknown parameters are ignored, and reported in an entry with the search mode \`outcome\`.`,
        tags,
        parameters: [...criteria, ...refs('Prefer')],
        responses: { 200: bundle, ...errorResponses('NotFound', 'Gone') },
      },
      post: {
        operationId: `create${name}`,
        summary: `Create ${name}`,
        description: `Stores a new resource. The service assigns the id; a submitted one is ignored.${exampleType === 'Patient' && release === 'dstu2' ? ' The response shows birthDate as a full timestamp, which updates take as its date.' : ''}`,
        tags,
        parameters: [...inPath, ...refs('IfNoneExist', 'Prefer')],
        requestBody: body,
        responses: {
          200: reply('With If-None-Exist: the resource that exists.', written),
          201: reply('The stored resource.', written),
          ...errorResponses('NotFound', ...writeErrors),
        },
      },
      put: {
        operationId: `update${name}BySearch`,
        summary: `Update the ${name} that a search matches, or create it`,
        description: 'Several matches are refused with 412.',
        tags,
        parameters: selection,
        requestBody: body,
        responses: { ...update, ...errorResponses('NotFound', 'IdNotAllowed', ...writeErrors) },
      },
      patch: {
        operationId: `patch${name}BySearch`,
        summary: `Patch the ${name} that a search matches`,
        description: 'Several matches are refused with 412, none with 404.',
        tags,
        parameters: selection,
        requestBody: patch,
        responses: { 200: reply('The new version.', written), ...errorResponses('NotFound', 'Gone', ...writeErrors) },
      },
      delete: {
        operationId: `delete${name}BySearch`,
        summary: `Delete every ${name} that a search matches`,
        description: 'The versions stay readable. A search without criteria is refused.',
        tags,
        parameters: selection,
        responses: {
          200: outcomeResponse(release, 'They are deleted; `diagnostics` says how many.'),
          204: emptyResponse('They are deleted, with `Prefer: return=minimal`.'),
          ...errorResponses('NotFound', 'Forbidden', 'PreconditionFailed', 'OutcomeUnknown'),
        },
      },
    },
    [`${path}/_search`]: {
      post: {
        operationId: `search${name}ByForm`,
        summary: `Search ${name} with the parameters in a form`,
        description: 'As the search by GET, for parameters that must not be in an address.',
        tags,
        parameters: [...inPath, ...refs('Prefer')],
        requestBody: formBody(formProperties(path.includes('{') ? [] : typeParameters(release, exampleType))),
        responses: { 200: bundle, ...errorResponses('NotFound', 'Gone', 'TooLarge', 'UnsupportedMediaType') },
      },
    },
    [`${path}/{id}`]: {
      get: {
        operationId: `read${name}`,
        summary: `Read ${name}`,
        description: 'The current version.',
        tags,
        parameters: [...at, ...refs('IfNoneMatch', 'IfModifiedSince', 'Summary', 'Elements', 'Format')],
        responses: {
          200: reply('The resource.', stored),
          304: emptyResponse('The caller has the current version.', stored),
          ...errorResponses('NotFound', 'Gone'),
        },
      },
      put: {
        operationId: `update${name}`,
        summary: `Store the next version of ${name}`,
        description:
          'Under a new UUID the resource is created. A part of a resource, tagged as SUBSETTED, is refused with 422.',
        tags,
        parameters: [...at, ...refs('IfMatch', 'Prefer')],
        requestBody: {
          required: true,
          content: contentOf(release, { schema: resource, examples: exampleRef(`${exampleType}.update`) }),
        },
        responses: { ...update, ...errorResponses('NotFound', 'IdNotAllowed', 'Gone', ...writeErrors) },
      },
      patch: {
        operationId: `patch${name}`,
        summary: `Patch ${name}`,
        description:
          release === 'r4' ? 'By a JSON Patch, or by a FHIRPath Patch in Parameters.' : 'By a JSON Patch (RFC 6902).',
        tags,
        parameters: [...at, ...refs('IfMatch', 'Prefer')],
        requestBody: patch,
        responses: { 200: reply('The new version.', written), ...errorResponses('NotFound', 'Gone', ...writeErrors) },
      },
      delete: {
        operationId: `delete${name}`,
        summary: `Delete ${name}`,
        description: 'Its versions stay readable.',
        tags,
        parameters: [...at, ...refs('IfMatch', 'Prefer')],
        responses: {
          200: outcomeResponse(release, 'It is deleted.'),
          204: emptyResponse('It is deleted, or did not exist.', ['ETag']),
          ...errorResponses('NotFound', 'Forbidden', 'PreconditionFailed', 'OutcomeUnknown'),
        },
      },
    },
  };
}

/** A response with an OperationOutcome that is no error. */
export function outcomeResponse(release: Release, description: string): object {
  return resourceResponse(release, { description, schema: 'OperationOutcome' });
}

/** The body of a search by POST. */
export function formBody(properties: Record<string, object>): object {
  return {
    required: false,
    content: {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties, additionalProperties: true },
        example: { _count: 20 },
      },
    },
  };
}

function fhirPathPatch(type: string): object {
  return {
    resourceType: 'Parameters',
    parameter: [
      {
        name: 'operation',
        part: [
          { name: 'type', valueCode: 'add' },
          { name: 'path', valueString: type },
          { name: 'name', valueString: 'language' },
          { name: 'value', valueCode: 'en' },
        ],
      },
    ],
  };
}
