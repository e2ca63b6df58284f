import { exampleRule, operationOutcome } from '@tributary/contracts';
import { fhirVersionOf } from '@tributary/fhir-definitions';
import { aboutApi, securitySchemes } from '@tributary/service-kit';
import { z } from 'zod';
import { operations } from './operations';
import { parameterComponents, parameterRefs } from './parameters';
import { errorComponents, headerComponents } from './responses';

const text = { type: 'string' };
/** A resource; its elements are described by the specification of its release. */
const resourceOf = (type: string, properties: object = {}): object => ({
  type: 'object',
  description: `https://hl7.org/fhir/R4/${type.toLowerCase()}.html`,
  properties: { resourceType: { type: 'string', const: type }, ...properties },
  required: ['resourceType'],
  additionalProperties: true,
});
const open = (properties: object): object => ({ type: 'object', properties, additionalProperties: true });
const outcome = z.toJSONSchema(z.object({ outcome: operationOutcome })).$defs?.['OperationOutcome'];

const schemas = {
  Resource: {
    type: 'object',
    description: 'A resource of any type: https://hl7.org/fhir/R4/resourcelist.html',
    properties: { resourceType: text, id: text, meta: open({ versionId: text, lastUpdated: text }) },
    required: ['resourceType'],
    additionalProperties: true,
  },
  Bundle: resourceOf('Bundle', {
    type: text,
    total: { type: 'integer', minimum: 0 },
    link: { type: 'array', items: open({ relation: text, url: text }) },
    entry: {
      type: 'array',
      items: open({ fullUrl: text, resource: { $ref: '#/components/schemas/Resource' } }),
    },
  }),
  Parameters: resourceOf('Parameters', { parameter: { type: 'array', items: open({ name: text }) } }),
  OperationOutcome: outcome,
  JsonPatch: {
    type: 'array',
    description: 'RFC 6902.',
    items: {
      type: 'object',
      properties: {
        op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
        path: text,
        from: text,
        value: {},
      },
      required: ['op', 'path'],
    },
  },
};

const tags = {
  Record: 'The record as a whole.',
  Resources: 'Resources of any type.',
  Binary: 'Files, as they are or as FHIR JSON. All interactions of other types are available, too.',
  Histories: 'The versions of resources.',
  Operations: 'Compartments and operations of FHIR.',
};

/**
 * The OpenAPI 3.1 document of FHIR in all releases. It describes the interactions; the CapabilityStatement of a release
 * lists the types and their search parameters.
 */
export function fhirDocument(baseUrl: string): object {
  const versions = Object.entries(fhirVersionOf).map(([release, version]) => `\`${release}\` (${version})`);
  const paths: Record<string, Record<string, object>> = {};
  for (const [tag, ofTag] of operations)
    for (const [operationId, call, about, { parameters, ...parts }] of ofTag) {
      const [method = '', below = ''] = call.split(' ');
      const [, summary = about, description = `${about}.`] = /^(.*?)\. (.*)$/.exec(about) ?? [];
      const path = `/{release}${below}`;
      const operation = { operationId, summary, description, tags: [tag], parameters: parameterRefs(path, parameters) };
      (paths[path] ??= {})[method] = { ...operation, ...parts };
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tributary: FHIR',
      description: `The record of one user in FHIR ${versions.join(', ')}. Everything read and written belongs to the user of the bearer token. \`/{release}/metadata\` lists the resource types of a release with their search parameters. The media type of resources is \`application/fhir+json\`, in DSTU2 also \`application/json+fhir\`. In DSTU2 and STU3, reads, searches and histories return R4 with \`Accept: application/fhir+json; fhirVersion=4.0\`. ${exampleRule}`,
      ...aboutApi,
    },
    servers: [{ url: baseUrl }],
    security: [{ user_token: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      parameters: parameterComponents,
      headers: headerComponents,
      responses: errorComponents,
      securitySchemes: { user_token: securitySchemes.user_token },
    },
  };
}
