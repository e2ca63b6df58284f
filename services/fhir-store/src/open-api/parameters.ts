import { exampleValues } from '@tributary/contracts';
import { releases } from '@tributary/fhir-definitions';

/** A resource that is valid in every release. */
export const examplePatient = {
  resourceType: 'Patient',
  name: [{ text: 'Ines Rivera' }],
  gender: 'female',
  birthDate: '1990-07-04',
};

const text = { type: 'string' };
/** A parameter that can be repeated; a resource must match every value. */
const texts = { type: 'array', items: text };
const oneOf = (...values: string[]): object => ({ type: 'string', enum: values });

const inPath = {
  release: ['The FHIR release.', oneOf(...releases), 'r4'],
  type: ['A resource type of the release, as in its CapabilityStatement.', text, 'Patient'],
  id: ['The id that the service assigned.', { type: 'string', maxLength: 64 }, exampleValues.resource_id],
  version: ['As in `meta.versionId`.', text, '1'],
  member: ['A resource type of the compartment, or `*`.', text, 'Observation'],
} as const;

const inQuery = {
  criteria: [
    'Any search parameters of the type, by their names in the CapabilityStatement. A parameter can be repeated.',
    { type: 'object', additionalProperties: { anyOf: [text, texts] } },
  ],
  _id: ['The ids of resources, separated by commas.', texts, [exampleValues.resource_id]],
  _lastUpdated: ['When the version was stored: `ge2025-01-01`.', texts],
  _has: ['Resources to which others refer: `_has:Observation:patient:code=8302-2`.', texts],
  _count: ['Resources on a page.', { type: 'integer', minimum: 0, maximum: 1000, default: 20 }],
  _sort: ['Search parameters in order, separated by commas, with `-` for descending: `-date`.', text],
  _total: ['`none` omits `Bundle.total` on the first page.', oneOf('none', 'estimate', 'accurate')],
  _include: ['Also the resources that a parameter refers to: `Observation:subject`.', texts],
  _revinclude: ['Also the resources that refer to a result: `Provenance:target`.', texts],
  _summary: ['A part of each resource, or only their number.', oneOf('true', 'text', 'data', 'count', 'false')],
  _elements: ['Only these elements, separated by commas, beside the mandatory ones.', text],
  _contained: ['Whether contained resources are found.', oneOf('false', 'true', 'both')],
  _releasePerSource: [
    'With R4 views: `newest` keeps, of each health system, only the newest release in which the record has it.',
    oneOf('newest'),
  ],
  _type: ['Only these resource types, separated by commas.', text],
  _format: ['The media type of the response, in place of `Accept`.', text],
  _since: ['Only versions that were stored at this time or later.', text],
  _at: ['Only versions that were current at some time of this period.', text],
  max: ['The number of observations of each code.', { type: 'integer', minimum: 1, default: 1 }],
  start: ['Only care at this date or later.', text],
  end: ['Only care at this date or earlier.', text],
} as const;

const inHeader = {
  Prefer: [
    '`return=minimal`, `return=representation` or `return=OperationOutcome` for writes; `handling=strict` refuses unknown search parameters.',
    text,
  ],
  'If-Match': ['Only if this is the current version: `W/"1"`. Otherwise 412.', text],
  'If-None-Match': ['The version that the caller has; the response is 304 while it is current.', text],
  'If-Modified-Since': ['The response is 304 when the resource has not changed since.', text],
  'If-None-Exist': ['A search; the resource is created only when it matches nothing.', text],
  Range: ['Bytes of the content: `bytes=0-1023`.', text],
  'X-Security-Context': ['The securityContext of a Binary that is sent as its content.', text],
} as const;

/** The parameters of operations, except for those of their paths. */
export type ParameterName = keyof typeof inQuery | keyof typeof inHeader;

/** The parameters of every search. */
export const resultParameters: readonly ParameterName[] = [
  '_id',
  '_lastUpdated',
  '_has',
  '_count',
  '_sort',
  '_total',
  '_include',
  '_revinclude',
  '_summary',
  '_elements',
  '_contained',
  '_releasePerSource',
];

function componentsOf(
  place: 'path' | 'query' | 'header',
  parameters: Record<string, readonly [description: string, schema: object, example?: unknown]>,
): [string, object][] {
  return Object.entries(parameters).map(([name, [description, schema, example]]) => [
    name,
    {
      name,
      in: place,
      description,
      ...(place === 'path' ? { required: true } : {}),
      schema,
      ...(example === undefined ? {} : { example }),
    },
  ]);
}

/** All parameters, as components with their own names. */
export const parameterComponents = Object.fromEntries([
  ...componentsOf('path', inPath),
  ...componentsOf('query', inQuery),
  ...componentsOf('header', inHeader),
]);

/** References to the parameters of a path, and to others. */
export function parameterRefs(path: string, names: readonly ParameterName[] = []): { $ref: string }[] {
  const ofPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return [...ofPath, ...names].map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
