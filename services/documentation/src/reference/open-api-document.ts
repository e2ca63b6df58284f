import { z } from 'zod';

/** A JSON Schema of OpenAPI 3.1, as far as the pages show it. Only schemas are referred to: see `parseDocument`. */
const schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  examples: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  deprecated: z.boolean().optional(),
  get properties() {
    return z.record(z.string(), schema).optional();
  },
  get items() {
    return schema.optional();
  },
  get oneOf() {
    return z.array(schema).optional();
  },
  get anyOf() {
    return z.array(schema).optional();
  },
  get allOf() {
    return z.array(schema).optional();
  },
});
export type Schema = z.infer<typeof schema>;

const content = z.record(
  z.string(),
  z.object({
    schema: schema.optional(),
    example: z.unknown().optional(),
    examples: z.record(z.string(), z.object({ summary: z.string().optional(), value: z.unknown() })).optional(),
  }),
);
export type Content = z.infer<typeof content>;

const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  description: z.string().optional(),
  required: z.boolean().default(false),
  deprecated: z.boolean().default(false),
  schema: schema.optional(),
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
});
export type Parameter = z.infer<typeof parameter>;

const header = z.object({ description: z.string().optional(), schema: schema.optional() });

const security = z.array(z.record(z.string(), z.array(z.string())));
const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: z.tuple([z.string()], z.string()),
  deprecated: z.boolean().default(false),
  security: security.optional(),
  parameters: z.array(parameter).default([]),
  requestBody: z
    .object({ description: z.string().optional(), required: z.boolean().default(false), content })
    .optional(),
  responses: z.record(
    z.string(),
    z.object({
      description: z.string(),
      headers: z.record(z.string(), header).default({}),
      content: content.default({}),
    }),
  ),
});
export type Operation = z.infer<typeof operation>;

const methods = z.object({
  get: operation.optional(),
  post: operation.optional(),
  put: operation.optional(),
  patch: operation.optional(),
  delete: operation.optional(),
});

const securityScheme = z.object({
  type: z.string(),
  scheme: z.string().optional(),
  in: z.string().optional(),
  name: z.string().optional(),
  description: z.string().optional(),
});

const openApiDocument = z.object({
  openapi: z.string().startsWith('3.1'),
  info: z.object({ title: z.string(), description: z.string().default(''), version: z.string() }),
  servers: z.tuple([z.object({ url: z.string() })], z.unknown()),
  security: security.default([]),
  tags: z.array(z.object({ name: z.string(), description: z.string().default('') })).default([]),
  paths: z.record(z.string(), methods),
  webhooks: z.record(z.string(), z.object({ post: operation })).default({}),
  components: z
    .object({
      schemas: z.record(z.string(), schema).default({}),
      securitySchemes: z.record(z.string(), securityScheme).default({}),
    })
    .prefault({}),
});
export type OpenApiDocument = z.infer<typeof openApiDocument>;

/**
 * Reads an OpenAPI document. References to parameters, headers, responses and examples are replaced by what they refer
 * to; those to schemas stay, since the pages link to them.
 * @throws Error when the text is not an OpenAPI 3.1 document
 */
export function parseDocument(text: string): OpenApiDocument {
  const json = JSON.parse(text) as unknown;
  return openApiDocument.parse(withoutReferences(json, json));
}

function withoutReferences(value: unknown, document: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withoutReferences(one, document));
  if (typeof value !== 'object' || value === null) return value;
  const reference = '$ref' in value ? String(value.$ref) : '';
  if (/^#\/components\/(?!schemas\/)/.test(reference))
    return withoutReferences(targetOf(reference, document), document);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutReferences(one, document)]));
}

function targetOf(reference: string, document: unknown): unknown {
  const names = reference
    .slice(2)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  let part = document;
  for (const name of names)
    part = part instanceof Object && Object.hasOwn(part, name) ? Reflect.get(part, name) : undefined;
  if (part === undefined) throw new Error(`the document has no ${reference}`);
  return part;
}

/** The name of a schema that is referred to. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref === undefined ? undefined : decodeURIComponent($ref.slice($ref.lastIndexOf('/') + 1));
}
