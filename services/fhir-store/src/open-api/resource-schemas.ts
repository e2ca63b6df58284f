import { type ElementModel, type ElementProperty, type Release, elementModel } from '@tributary/fhir-definitions';

type JsonSchema = Record<string, unknown>;

const numbers = new Set(['integer', 'positiveInt', 'unsignedInt', 'integer64']);
/** Binding codes beyond this number are left to the specification. */
const maxListedCodes = 24;
/** Any data type can be in these, so they are open objects. */
const open: ReadonlyMap<string, JsonSchema> = new Map(
  Object.entries({
    Extension: {
      type: 'object',
      properties: { url: { type: 'string' } },
      required: ['url'],
      additionalProperties: true,
    },
    Resource: {
      type: 'object',
      description: 'A resource of any type of the release.',
      properties: { resourceType: { type: 'string' }, id: { type: 'string' } },
      required: ['resourceType'],
      additionalProperties: true,
    },
  }),
);

/**
 * JSON Schemas of resource types, with the data types and components that they use, by name. Only `resourceType` is
 * required: resources from health systems are stored as they came, also where they lack a required element.
 */
export class ResourceSchemas {
  readonly schemas: Record<string, JsonSchema> = { Resource: open.get('Resource') as JsonSchema };
  readonly #model: ElementModel;

  constructor(private readonly release: Release) {
    this.#model = elementModel(release);
  }

  /** Adds a type, and returns the name of its schema. */
  add(type: string): string {
    const name = type.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (this.schemas[name]) return name;
    const schema: JsonSchema = { ...open.get(type) };
    this.schemas[name] = schema;
    if (!open.has(type)) Object.assign(schema, this.#schemaOf(type));
    return name;
  }

  #schemaOf(type: string): JsonSchema {
    const found = this.#model.type(type);
    const properties = Object.fromEntries(
      [...(found?.properties ?? [])].map(([name, property]) => [name, this.#propertyOf(property)]),
    );
    const isResource = found?.kind === 'resource';
    return {
      type: 'object',
      ...(isResource ? { description: `${type} of FHIR ${this.release.toUpperCase()}: ${this.#page(type)}` } : {}),
      properties: { ...(isResource ? { resourceType: { type: 'string', const: type } } : {}), ...properties },
      ...(isResource ? { required: ['resourceType'] } : {}),
      additionalProperties: true,
    };
  }

  #page(type: string): string {
    return `https://hl7.org/fhir/${this.release.toUpperCase()}/${type.toLowerCase()}.html`;
  }

  #propertyOf({ element, type }: ElementProperty): JsonSchema {
    const one = this.#valueOf(type.code);
    const { binding } = element;
    const codes =
      binding && type.code === 'code' && binding.codes.size <= maxListedCodes
        ? { description: `One of ${[...binding.codes].map((code) => `\`${code}\``).join(', ')}.` }
        : {};
    return element.max > 1 ? { type: 'array', items: one, ...codes } : { ...one, ...codes };
  }

  #valueOf(code: string): JsonSchema {
    const kind = this.#model.type(code)?.kind;
    if (kind === 'resource') return { $ref: '#/components/schemas/Resource' };
    if (kind === 'complex' || kind === 'backbone') return { $ref: `#/components/schemas/${this.add(code)}` };
    if (code === 'boolean') return { type: 'boolean' };
    if (numbers.has(code)) return { type: 'integer' };
    if (code === 'decimal') return { type: 'number' };
    return { type: 'string' };
  }
}
