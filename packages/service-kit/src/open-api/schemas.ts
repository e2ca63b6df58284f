import { isDeepStrictEqual } from 'node:util';
import { type ZodType, z } from 'zod';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 contains it. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  examples?: unknown[];
  [keyword: string]: unknown;
}

const components = '#/components/schemas/';

/**
 * The schemas of an OpenAPI document. A zod schema with `meta({ id: 'User' })` becomes the component `User`, and is a
 * reference wherever it is used. A schema with `meta({ documented: … })` is described by that JSON Schema in place of
 * its own: for a number that comes as text in a query string, for example.
 */
export class Schemas {
  readonly components: Record<string, JsonSchema> = {};

  /**
   * The JSON Schema of what a zod schema accepts (`input`) or returns (`output`).
   * @throws Error when two different schemas have the same id
   */
  of(schema: ZodType, io: 'input' | 'output'): JsonSchema {
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ root: schema }), {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => simplify(zodSchema, jsonSchema as JsonSchema),
    }) as unknown as { properties: { root: JsonSchema }; $defs?: Record<string, JsonSchema> };
    for (const [name, definition] of Object.entries($defs)) this.#add(name, withComponents(definition));
    return withComponents(properties.root);
  }

  /** The schema itself, or the component that it refers to. */
  resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.startsWith(components) ? schema.$ref.slice(components.length) : undefined;
    return (name === undefined ? undefined : this.components[name]) ?? schema;
  }

  #add(name: string, schema: JsonSchema): void {
    const known = this.components[name];
    if (known !== undefined && !isDeepStrictEqual(known, schema))
      throw new Error(`two different schemas have the id ${name}`);
    this.components[name] = schema;
  }
}

function simplify(zodSchema: z.core.$ZodType, schema: JsonSchema): void {
  const { documented } = schema;
  if (documented !== undefined) {
    const { description } = schema;
    for (const keyword of Object.keys(schema)) delete schema[keyword];
    Object.assign(schema, description === undefined ? {} : { description }, documented);
  }
  // The format says the same as the regular expression of the validation.
  if (schema['format'] !== undefined) delete schema['pattern'];
  // Responses can get more members in a later version.
  const { def } = zodSchema._zod;
  if (def.type === 'object' && !('catchall' in def && def.catchall)) delete schema['additionalProperties'];
  if (isDeepStrictEqual(schema['additionalProperties'], {})) schema['additionalProperties'] = true;
}

function withComponents(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', components) : value,
    ),
  ) as JsonSchema;
}
