import { oauthUris } from '@tributary/contracts';
import { type Release, fhirVersionOf, resourceTypes } from '@tributary/fhir-definitions';
import { type JsonObject, stringifyJson } from '@tributary/fhir-json';
import { supportedParameters } from '@tributary/fhir-search';
import { softwareVersion } from '@tributary/service-kit';
import type { FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { fhirVersionParameter } from '../fhir-http/content-negotiation';

const rendered = new Map<string, Buffer>();
/** When the statement was last changed; kept up to date by hand. */
const changed = '2026-11-30';

/**
 * `GET /{release}/metadata`: the CapabilityStatement, in dstu2 a Conformance
 * (https://hl7.org/fhir/R4/http.html#capabilities). It is derived from the tables that the service uses.
 */
export function capabilities({ release, base, authUrl }: FhirRequest): Promise<FhirResponse> {
  const key = `${release} ${base}`;
  let body = rendered.get(key);
  if (!body) {
    body = Buffer.from(stringifyJson(statement(release, base, authUrl)));
    rendered.set(key, body);
  }
  return Promise.resolve({ status: 200, body });
}

const convertResource = `Accept: application/fhir+json; ${fhirVersionParameter('r4')} converts resources of the clinical types, marks them by a tag, and reports what it leaves out`;

function statement(release: Release, base: string, authUrl: string): JsonObject {
  const isDstu2 = release === 'dstu2';
  return {
    resourceType: isDstu2 ? 'Conformance' : 'CapabilityStatement',
    url: `${base}/metadata`,
    name: 'Tributary',
    status: 'active',
    date: changed,
    kind: 'instance',
    description: `The FHIR record of one user, named by the bearer token.${release === 'r4' ? '' : ` What reads, searches and histories answer can be had in R4: ${convertResource}.`}`,
    software: { name: 'Tributary', version: softwareVersion },
    implementation: { description: 'Tributary', url: base },
    fhirVersion: fhirVersionOf[release],
    ...(release === 'r4' ? {} : { acceptUnknown: 'no' }),
    format: [
      'json',
      ...(isDstu2 ? ['application/json+fhir'] : []),
      'application/fhir+json',
      ...(release === 'r4' ? [] : [`application/fhir+json;${fhirVersionParameter('r4')}`]),
    ],
    ...(isDstu2
      ? {}
      : {
          patchFormat:
            release === 'r4'
              ? ['application/json-patch+json', 'application/fhir+json']
              : ['application/json-patch+json'],
        }),
    rest: [rest(release, authUrl)],
  };
}

function rest(release: Release, authUrl: string): JsonObject {
  const referring = referringParameters(release);
  return {
    mode: 'server',
    documentation: `${searchHandling} ${binaryHandling}`,
    security: {
      extension: [oauthUris(authUrl)],
      cors: true,
      description: 'The bearer token of a user; everything read and written belongs to that user.',
      service: [{ coding: [{ system: serviceSystem[release], code: 'OAuth' }], text: 'OAuth 2.0' }],
    },
    resource: resourceTypes(release).map((type) => resourceCapabilities(release, type, referring.get(type) ?? [])),
    interaction: systemInteractions(release).map((code) => ({ code })),
    searchParam: systemParameters(release),
    operation: (release === 'r4' ? systemOperations : allOperations).map((id) => operation(release, id)),
  };
}

const binaryHandling =
  'The content of a Binary is read, created and updated in its own media type. FHIR JSON of a Binary is returned when Accept or _format names it.';
const searchHandling =
  'A search ignores parameters and sorts that it does not support, and lists them in an OperationOutcome at the start of the Bundle (search.mode outcome); with Prefer: handling=strict it refuses them. The first page has the total, unless _total=none is sent. With fhirVersion=4.0, _releasePerSource=newest keeps the newest release of each health system only.';

const serviceSystem: Record<Release, string> = {
  dstu2: 'http://hl7.org/fhir/restful-security-service',
  stu3: 'http://hl7.org/fhir/restful-security-service',
  r4: 'http://terminology.hl7.org/CodeSystem/restful-security-service',
};

/**
 * The search parameters of all types. No release defines `_has`, `_list` and `_filter` as SearchParameter resources.
 */
function systemParameters(release: Release): JsonObject[] {
  const special = release === 'r4' ? 'special' : 'string';
  const parameterTypes: Readonly<Record<string, string>> = {
    _id: 'token',
    _lastUpdated: 'date',
    _tag: 'token',
    _profile: 'uri',
    _security: 'token',
    ...(release === 'r4' ? { _source: 'uri' } : {}),
    _type: 'token',
    _text: special,
    _content: special,
    _list: special,
    _has: special,
    _filter: special,
  };
  return Object.entries(parameterTypes).map(([name, type]) => ({ name, type }));
}

/** The reference parameters that can refer to a type, by type, such as `Observation:subject` for Patient. */
function referringParameters(release: Release): Map<string, string[]> {
  const types = resourceTypes(release);
  const referring = new Map<string, string[]>(types.map((type) => [type, []]));
  for (const source of types) {
    for (const { type, code, targets } of supportedParameters(release, source)) {
      if (type !== 'reference') continue;
      for (const target of targets.length > 0 ? targets : types) referring.get(target)?.push(`${source}:${code}`);
    }
  }
  return referring;
}

function resourceCapabilities(release: Release, type: string, referring: readonly string[]): JsonObject {
  const parameters = supportedParameters(release, type);
  const references = parameters
    .filter((parameter) => parameter.type === 'reference')
    .map(({ code }) => `${type}:${code}`);
  const operations = release === 'r4' ? typeOperations(type) : [];
  return {
    type,
    interaction: typeInteractions(release).map((code) => ({ code })),
    versioning: 'versioned-update',
    readHistory: true,
    updateCreate: true,
    conditionalCreate: true,
    ...(release === 'dstu2' ? {} : { conditionalRead: 'full-support' }),
    conditionalUpdate: true,
    conditionalDelete: 'multiple',
    ...(release === 'dstu2' ? {} : { referencePolicy: ['literal', 'local'] }),
    ...(references.length > 0 ? { searchInclude: ['*', ...references] } : {}),
    ...(referring.length > 0 ? { searchRevInclude: ['*', ...referring] } : {}),
    searchParam: parameters.map(({ code, type: parameterType, url }) => ({
      name: code,
      ...(url === '' ? {} : { definition: url }),
      type: parameterType,
    })),
    ...(operations.length > 0 ? { operation: operations.map((id) => operation(release, id)) } : {}),
  };
}

/** An operation. Its name is the id of its definition without the type prefix. */
function operation(release: Release, id: string): JsonObject {
  const definition = ownOperations.has(id)
    ? `urn:tributary:operation:${id}`
    : `http://hl7.org/fhir/OperationDefinition/${id}`;
  return {
    name: id.replace(/^[A-Z][A-Za-z]*-/, ''),
    definition: release === 'r4' ? definition : { reference: definition },
  };
}

/** The interactions with a resource type (https://hl7.org/fhir/R4/valueset-type-restful-interaction.html). */
function typeInteractions(release: Release): readonly string[] {
  return [
    'read',
    'vread',
    'update',
    ...(release === 'dstu2' ? [] : ['patch']),
    'delete',
    'history-instance',
    'history-type',
    'create',
    'search-type',
  ];
}

/** The interactions with the whole record (https://hl7.org/fhir/R4/valueset-system-restful-interaction.html). */
function systemInteractions(release: Release): readonly string[] {
  return ['transaction', ...(release === 'dstu2' ? [] : ['batch']), 'history-system', 'search-system'];
}

/** Operations that FHIR does not define. */
const ownOperations: ReadonlySet<string> = new Set(['counts']);

/** Operations on the whole record, by the ids of their definitions. */
const systemOperations: readonly string[] = ['Resource-meta', ...ownOperations];

const everyType: readonly string[] = [
  'Resource-validate',
  'Resource-meta',
  'Resource-meta-add',
  'Resource-meta-delete',
];
const ofOneType: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Patient: ['Patient-everything'],
    Observation: ['Observation-lastn'],
  }),
);

/** Operations on a type and its resources. */
function typeOperations(type: string): readonly string[] {
  return [...everyType, ...(ofOneType.get(type) ?? [])];
}

/** All operations. Before r4 a CapabilityStatement lists operations on the system level only. */
const allOperations: readonly string[] = [...everyType, ...[...ofOneType.values()].flat(), ...ownOperations];
