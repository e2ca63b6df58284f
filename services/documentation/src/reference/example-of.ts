import { type OpenApiDocument, type Parameter, type Schema, nameOf } from './open-api-document';

/** A value that a schema or its parts give as an example; undefined when there is none. */
function exampleOf(given: Schema | undefined, document: OpenApiDocument): unknown {
  const name = given && nameOf(given);
  const schema = name === undefined ? given : document.components.schemas[name];
  return schema?.examples?.[0] ?? schema?.default ?? schema?.const ?? schema?.enum?.[0];
}

/** The example of a parameter. */
export function exampleOfParameter({ example, examples, schema }: Parameter, document: OpenApiDocument): unknown {
  return example ?? Object.values(examples ?? {})[0]?.value ?? exampleOf(schema, document);
}

/** The examples of a body, each with what it shows. */
export function examplesOf({
  example,
  examples = {},
}: {
  example?: unknown;
  examples?: Record<string, { summary?: string | undefined; value: unknown }> | undefined;
}): { summary: string | undefined; value: unknown }[] {
  const named = Object.entries(examples).map(([name, { summary, value }]) => ({ summary: summary ?? name, value }));
  return example === undefined ? named : [{ summary: undefined, value: example }, ...named];
}
