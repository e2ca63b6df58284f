import { exampleValues } from '@tributary/contracts';
import { type Release, type SearchParameterType } from '@tributary/fhir-definitions';
import { supportedParameters } from '@tributary/fhir-search';

interface Parameter {
  name: string;
  in: 'query' | 'header' | 'path';
  description: string;
  required?: true;
  schema: object;
  example?: unknown;
}

const text = { type: 'string' };
/** A parameter that can be repeated; a resource must match every value. */
const texts = { type: 'array', items: text };
const query = (name: string, description: string, schema: object = text, example?: unknown): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});
const header = (name: string, description: string, schema: object = text): Parameter => ({
  name,
  in: 'header',
  description,
  schema,
});

/** The parameters that operations share. */
const shared = {
  Count: query('_count', 'Resources on a page.', { type: 'integer', minimum: 0, maximum: 1000, default: 20 }, 20),
  Sort: query('_sort', 'Search parameters in order, separated by commas, with `-` for descending: `-date`.'),
  Total: query('_total', '`none` omits `Bundle.total` on the first page.', {
    type: 'string',
    enum: ['none', 'estimate', 'accurate'],
  }),
  Include: query('_include', 'Also the resources that a parameter refers to: `Observation:subject`.', texts),
  Revinclude: query('_revinclude', 'Also the resources that refer to a result: `Provenance:target`.', texts),
  Summary: query('_summary', 'A part of each resource, or only their number.', {
    type: 'string',
    enum: ['true', 'text', 'data', 'count', 'false'],
  }),
  Elements: query('_elements', 'Only these elements, separated by commas, beside the mandatory ones.'),
  ReleasePerSource: query(
    '_releasePerSource',
    'With R4 views: `newest` keeps, of each health system, only the newest release in which the record has it.',
    { type: 'string', enum: ['newest'] },
  ),
  Has: query('_has', 'Resources to which others refer: `_has:Observation:patient:code=8302-2`.', texts),
  Contained: query('_contained', 'Whether contained resources are found.', {
    type: 'string',
    enum: ['false', 'true', 'both'],
  }),
  Types: query('_type', 'Only these resource types, separated by commas.'),
  Id: query('_id', 'The ids of resources, separated by commas.', texts, [exampleValues.resource_id]),
  LastUpdated: query('_lastUpdated', 'When the version was stored: `ge2025-01-01`.', texts),
  Format: query('_format', 'The media type of the response, in place of `Accept`.'),
  Since: query('_since', 'Only versions that were stored at this time or later.'),
  At: query('_at', 'Only versions that were current at some time of this period.'),
  Max: query('max', 'The number of observations of each code.', { type: 'integer', minimum: 1, default: 1 }),
  Start: query('start', 'Only care at this date or later.'),
  End: query('end', 'Only care at this date or earlier.'),
  Prefer: header(
    'Prefer',
    '`return=minimal`, `return=representation` or `return=OperationOutcome` for writes; `handling=strict` refuses unknown search parameters.',
  ),
  IfMatch: header('If-Match', 'Only if this is the current version: `W/"1"`. Otherwise 412.'),
  IfNoneMatch: header('If-None-Match', 'The version that the caller has; the response is 304 while it is current.'),
  IfModifiedSince: header('If-Modified-Since', 'The response is 304 when the resource has not changed since.'),
  Range: header('Range', 'Bytes of the content: `bytes=0-1023`.'),
  SecurityContext: header('X-Security-Context', 'The securityContext of a Binary that is sent as its content.'),
  IfNoneExist: header('If-None-Exist', 'A search; the resource is created only when it matches nothing.'),
} as const satisfies Record<string, Parameter>;

export type SharedParameter = keyof typeof shared;

/** The shared parameters and the resource types of a release, for `components.parameters`. */
export function sharedParameters(types: { all: readonly string[]; others: readonly string[] }): Record<string, object> {
  const path = (name: string, description: string, schema: object, example: unknown): Parameter => ({
    name,
    in: 'path',
    description,
    required: true,
    schema,
    example,
  });
  return {
    ...shared,
    OtherType: path(
      'type',
      'A resource type. The clinical types have paths of their own.',
      { type: 'string', enum: types.others },
      'Basic',
    ),
    AnyType: path('type', 'A resource type.', { type: 'string', enum: types.all }, 'Patient'),
    ResourceId: path(
      'id',
      'The id that the service assigned.',
      { type: 'string', maxLength: 64 },
      exampleValues.resource_id,
    ),
    Version: path('version', 'As in `meta.versionId`.', { type: 'string' }, '1'),
    Member: path('member', 'A resource type of the compartment, or `*`.', { type: 'string' }, 'Observation'),
  };
}

/** References to shared parameters. */
export function refs(...names: (SharedParameter | 'OtherType' | 'AnyType' | 'ResourceId' | 'Version' | 'Member')[]): {
  $ref: string;
}[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The parameters of every search. */
export const searchResultParameters = refs(
  'Id',
  'LastUpdated',
  'Has',
  'Count',
  'Sort',
  'Total',
  'Include',
  'Revinclude',
  'Summary',
  'Elements',
  'Contained',
  'ReleasePerSource',
);

const typeRules: Record<SearchParameterType, string> = {
  token: '`system|code`, `code`, `|code` or `system|`',
  reference: '`Type/id`, `id` or a URL',
  uri: 'A URI, exactly',
  date: 'A date or time, with a prefix such as `ge` or `lt`',
  string: 'The beginning of a text, without case and accents',
  number: 'A number, with a prefix such as `gt`',
  quantity: '`number|system|code`, with a prefix such as `gt`',
  composite: 'Values joined by `$`',
  special: 'As the definition says',
};

/** References to the search parameters of a type, in `typeParameters`. */
export function typeParameterRefs(release: Release, type: string): { $ref: string }[] {
  return typeParameters(release, type).map(({ name }) => ({ $ref: `#/components/parameters/${type}.${name}` }));
}

/** The search parameters of types as components. */
export function typeParameterComponents(release: Release, types: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    types.flatMap((type) => typeParameters(release, type).map((parameter) => [`${type}.${parameter.name}`, parameter])),
  );
}

/** The search parameters of a type (https://hl7.org/fhir/R4/search.html), except those that `shared` has. */
export function typeParameters(release: Release, type: string): Parameter[] {
  return supportedParameters(release, type)
    .filter(({ code }) => code !== '_id' && code !== '_lastUpdated')
    .map(({ code, type: kind, targets, url }) => {
      const to = kind === 'reference' && targets.length > 0 && targets.length <= 6 ? ` of ${targets.join(', ')}` : '';
      const definition = url === '' ? '' : ` ${url}`;
      return query(
        code,
        `${kind}${to}. ${typeRules[kind]}; alternatives are separated by commas.${definition}`,
        texts,
        code === 'code' && type === 'Observation' ? ['http://loinc.org|8302-2'] : undefined,
      );
    });
}

/** The parameters of a search as the properties of a form. */
export function formProperties(parameters: readonly Parameter[]): Record<string, object> {
  const results: readonly Parameter[] = [
    shared.Id,
    shared.LastUpdated,
    shared.Has,
    shared.Count,
    shared.Sort,
    shared.Total,
    shared.Include,
    shared.Revinclude,
    shared.Summary,
    shared.Elements,
  ];
  return Object.fromEntries(
    [...parameters, ...results].map(({ name, description, schema }) => [name, { description, ...schema }]),
  );
}
