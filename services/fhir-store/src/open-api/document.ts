import { exampleRule } from '@tributary/contracts';
import { type Release, fhirVersionOf, resourceTypes } from '@tributary/fhir-definitions';
import { aboutApi } from '@tributary/service-kit';
import { binaryPaths } from './binary-operations';
import { clinicalTypes, exampleComponents } from './clinical-types';
import { type Paths, typePaths } from './operations';
import { refs, sharedParameters, typeParameterComponents } from './parameters';
import { ResourceSchemas } from './resource-schemas';
import { errorComponents, headerComponents, mediaTypes } from './responses';
import { systemPaths } from './system-operations';

/** Types that operations take or return besides the clinical ones. */
const auxiliaryTypes = ['Bundle', 'OperationOutcome', 'Parameters'];

const jsonPatch = {
  type: 'array',
  description: 'RFC 6902.',
  items: {
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
      path: { type: 'string' },
      from: { type: 'string' },
      value: {},
    },
    required: ['op', 'path'],
  },
};

/**
 * The OpenAPI 3.1 document of a FHIR release, generated from the tables that the service uses. The clinical types have
 * paths, search parameters and schemas of their own; the paths with `{type}` are those of all other types.
 * @param baseUrl the public base URL of the releases
 */
export function fhirDocument(release: Release, baseUrl: string): object {
  const clinical = clinicalTypes(release);
  const all = resourceTypes(release);
  const others = all.filter((type) => !clinical.includes(type) && type !== 'Binary');
  const schemas = new ResourceSchemas(release);
  for (const type of [...clinical, 'Binary', ...auxiliaryTypes]) schemas.add(type);
  const paths: Paths = {};
  for (const type of clinical)
    Object.assign(
      paths,
      typePaths({
        release,
        path: `/${type}`,
        name: type,
        exampleType: type,
        schema: type,
        tag: type,
        inPath: [],
      }),
    );
  Object.assign(
    paths,
    systemPaths(release),
    binaryPaths(release),
    typePaths({
      release,
      path: '/{type}',
      name: 'Resource',
      exampleType: 'Basic',
      schema: 'Resource',
      tag: 'Other types',
      inPath: refs('OtherType'),
    }),
  );
  const name = release.toUpperCase();
  return {
    openapi: '3.1.0',
    info: {
      title: `Tributary: FHIR ${name}`,
      description: `The record of one user in FHIR ${name} (${fhirVersionOf[release]}). Everything read and written belongs to the user of the bearer token. \`/metadata\` has every type and search parameter. Media types: ${mediaTypes(release).join(', ')}.${release === 'r4' ? '' : ' With `Accept: application/fhir+json; fhirVersion=4.0` reads, searches and histories return R4.'} ${exampleRule}`,
      ...aboutApi,
    },
    servers: [{ url: `${baseUrl}/${release}` }],
    security: [{ user_token: [] }],
    tags: [
      { name: 'Record', description: 'The record as a whole.' },
      ...clinical.map((type) => ({ name: type, description: `Resources of the type ${type}.` })),
      { name: 'Binary', description: 'Files, as they are or as FHIR JSON.' },
      { name: 'Other types', description: 'Resources of all types without a section of their own.' },
      { name: 'Histories', description: 'The versions of resources.' },
      { name: 'Operations', description: 'Compartments and operations of FHIR.' },
    ],
    paths,
    components: {
      schemas: { ...schemas.schemas, JsonPatch: jsonPatch },
      examples: Object.fromEntries(
        [...clinical, 'Basic', 'Binary'].flatMap((type) => exampleComponents(release, type)),
      ),
      parameters: {
        ...sharedParameters({ all, others }),
        ...typeParameterComponents(release, [...clinical, 'Binary']),
      },
      headers: headerComponents,
      responses: errorComponents(release),
      securitySchemes: {
        user_token: {
          type: 'http',
          scheme: 'bearer',
          description: "The user's access token, from `POST {auth_url}/oauth2/token` with the code of the user.",
        },
      },
    },
  };
}
