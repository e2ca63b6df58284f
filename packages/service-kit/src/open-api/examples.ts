import type { JsonSchema, Schemas } from './schemas';

/**
 * An example of a schema, made of the examples of its parts (`meta({ examples: […] })`). An optional property is in it
 * when it, or a part of it, has an example of its own.
 */
export function exampleOf(schema: JsonSchema, schemas: Schemas): unknown {
  if (schema.examples?.length) return schema.examples[0];
  const resolved = schemas.resolve(schema);
  if (resolved !== schema) return exampleOf(resolved, schemas);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [alternative] = [schema['oneOf'], schema['anyOf']].filter(Array.isArray).flat() as JsonSchema[];
  if (alternative) return exampleOf(alternative, schemas);
  switch (schema.type) {
    case 'object':
      return exampleOfObject(schema, schemas);
    case 'array':
      return schema.items && hasExample(schema.items, schemas) ? [exampleOf(schema.items, schemas)] : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema['minimum'] ?? (schema['exclusiveMinimum'] === 0 ? 1 : 0);
    case 'null':
      return null;
    default:
      return exampleOfText(schema);
  }
}

function exampleOfObject({ properties = {}, required = [] }: JsonSchema, schemas: Schemas): object {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, property]) => required.includes(name) || hasExample(property, schemas))
      .map(([name, property]) => [name, exampleOf(property, schemas)]),
  );
}

function exampleOfText(schema: JsonSchema): string {
  if (schema['format'] === 'date-time') return '2025-11-22T08:30:00.000Z';
  return schema['format'] === 'uuid' ? '0b8f2c1e-6a53-4f7e-9d0a-5c1e7b3f9a24' : 'text';
}

function hasExample(schema: JsonSchema, schemas: Schemas): boolean {
  const { examples, properties = {}, items } = schemas.resolve(schema);
  return (
    schema.examples !== undefined ||
    examples !== undefined ||
    Object.values(properties).some((property) => hasExample(property, schemas)) ||
    (items !== undefined && hasExample(items, schemas))
  );
}
