import type { DocumentName } from '../../../../src/developer-console/clients/document-routes';
import type { facts } from '../facts';

/** The documents in the order of the list, with the base URLs that their paths follow. */
export const documents: readonly { name: DocumentName; api: keyof typeof facts.urls; prefix: string }[] = [
  { name: 'users', api: 'base_url', prefix: '' },
  { name: 'tokens', api: 'auth_url', prefix: '' },
  { name: 'health-systems', api: 'search_url', prefix: '' },
  { name: 'fhir', api: 'base_url', prefix: 'FHIR: ' },
  { name: 'bulk-export', api: 'analytics_url', prefix: '' },
  { name: 'audit-events', api: 'base_url', prefix: '' },
];

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
}
interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string;
  required?: boolean;
  schema?: Schema;
  example?: unknown;
}
interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}
interface OperationObject {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { $ref?: string; required?: boolean; content?: Record<string, Content> };
  responses: Record<string, { $ref?: string; content?: Record<string, unknown> }>;
}
/** What the explorer reads of an OpenAPI 3.1 document. */
export interface ApiDocument {
  security?: Record<string, unknown>[];
  paths: Record<string, Record<string, OperationObject>>;
  components?: Record<string, Record<string, unknown>>;
}

/** An input of an operation. */
export interface Field {
  /** Unique in the operation. */
  key: string;
  /** `search` is the text of a FHIR search. */
  in: 'path' | 'query' | 'header' | 'body' | 'search';
  name: string;
  description: string;
  isRequired: boolean;
  type: 'text' | 'number' | 'boolean' | 'list';
  choices?: string[];
  example?: string;
}

/** The credentials that an operation takes; of several, those of the client. */
export type Credentials = 'client' | 'user' | 'basic' | 'none';

export interface Operation {
  /** In the address. */
  key: string;
  document: DocumentName;
  api: keyof typeof facts.urls;
  group: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces. */
  path: string;
  summary: string;
  description: string;
  credentials: Credentials;
  /** Takes the token of a user as well, so that a client names the user. */
  isOfUser: boolean;
  fields: Field[];
  body?: { contentType: string; example: Readonly<Record<string, unknown>>; isText: boolean; isRequired: boolean };
  /** Answers with a file, and not with JSON. */
  isFile: boolean;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export function operationsOf(document: ApiDocument, { name, api, prefix }: (typeof documents)[number]): Operation[] {
  const resolve = <T extends { $ref?: string }>(part: T): T => {
    const [, , kind = '', id = ''] = part.$ref?.split('/') ?? [];
    return part.$ref === undefined ? part : resolve((document.components?.[kind]?.[id] ?? {}) as T);
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method): Operation[] => {
      const operation = item[method];
      if (!operation) return [];
      const alternatives = (operation.security ?? document.security ?? []).flatMap((each) => Object.keys(each));
      const credentials = credentialsOf(alternatives);
      const body = bodyOf(operation, resolve, credentials === 'basic' ? ['client_id', 'client_secret'] : []);
      return [
        {
          key: `${name}.${operation.operationId}`,
          document: name,
          api,
          group: prefix + (operation.tags?.[0] ?? 'Other'),
          method: method.toUpperCase() as Operation['method'],
          path,
          summary: operation.summary,
          description: operation.description ?? '',
          credentials,
          isOfUser: alternatives.includes('user_token'),
          fields: [...fieldsOfParameters((operation.parameters ?? []).map(resolve), resolve), ...(body?.fields ?? [])],
          ...(body ? { body } : {}),
          isFile: isFile(operation, resolve),
        },
      ];
    }),
  );
}

function credentialsOf(alternatives: readonly string[]): Credentials {
  if (alternatives.includes('client_id')) return 'client';
  if (alternatives.includes('user_token')) return 'user';
  return alternatives.includes('client_basic') ? 'basic' : 'none';
}

type Resolve = <T extends { $ref?: string }>(part: T) => T;

function fieldsOfParameters(parameters: readonly Parameter[], resolve: Resolve): Field[] {
  const fields = parameters.map((parameter) => ({
    ...fieldOf(parameter.in, parameter.name, parameter.schema ?? {}, resolve),
    description: parameter.description ?? '',
    isRequired: parameter.required ?? false,
    ...(parameter.example === undefined ? {} : { example: textOfValue(parameter.example) }),
  }));
  // FHIR has more search parameters than a form.
  if (!parameters.some(({ name }) => name === 'criteria')) return fields;
  return [
    ...fields.filter((field) => field.in !== 'query'),
    {
      key: 'search',
      in: 'search',
      name: 'Search',
      description: 'Search parameters as in an address: code=8867-4&date=ge2025&_count=10',
      isRequired: false,
      type: 'text',
    },
  ];
}

function fieldOf(location: Field['in'], name: string, given: Schema, resolve: Resolve): Field {
  const schema = simple(given, resolve);
  const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  return {
    key: `${location} ${name}`,
    in: location,
    name,
    description: given.description ?? schema.description ?? '',
    isRequired: false,
    type: typeOf(schema),
    ...(choices ? { choices: choices.map(String) } : {}),
  };
}

/** Without references, and without null as an alternative. */
function simple(given: Schema, resolve: Resolve): Schema {
  const schema = resolve(given);
  const others = schema.anyOf?.map(resolve).filter(({ type }) => type !== 'null');
  return others?.length === 1 && others[0] ? { ...schema, ...simple(others[0], resolve) } : schema;
}

function typeOf({ type, items }: Schema): Field['type'] {
  const [first] = [type].flat().filter((each) => each !== 'null');
  if (first === 'integer' || first === 'number') return 'number';
  if (first === 'boolean') return 'boolean';
  return first === 'array' && items ? 'list' : 'text';
}

/** @param left out of the example: what is sent elsewhere */
function bodyOf(
  { requestBody }: OperationObject,
  resolve: Resolve,
  left: readonly string[],
): (NonNullable<Operation['body']> & { fields: Field[] }) | undefined {
  const { content = {}, required = false } = requestBody ? resolve(requestBody) : {};
  const types = Object.keys(content);
  const contentType = types.find((type) => /[/+]json$/.test(type)) ?? types[0];
  const chosen = contentType === undefined ? undefined : content[contentType];
  if (contentType === undefined || !chosen) return undefined;
  const schema = resolve(chosen.schema ?? {});
  const given = chosen.example ?? Object.values(chosen.examples ?? {})[0]?.value ?? {};
  const example = Object.fromEntries(Object.entries(given).filter(([name]) => !left.includes(name)));
  const properties = Object.entries(schema.properties ?? {});
  const isFlat = properties.length > 0 && properties.every(([, property]) => isScalar(property, resolve));
  const fields = properties.map(([name, property]) => ({
    ...fieldOf('body', name, property, resolve),
    isRequired: schema.required?.includes(name) ?? false,
    ...(example[name] === undefined ? {} : { example: textOfValue(example[name]) }),
  }));
  return { contentType, example, isText: !isFlat, isRequired: required, fields: isFlat ? fields : [] };
}

function isScalar(given: Schema, resolve: Resolve): boolean {
  const schema = simple(given, resolve);
  if (schema.anyOf || schema.properties) return false;
  const [type] = [schema.type].flat().filter((each) => each !== 'null');
  if (type === 'array') return schema.items !== undefined && isScalar(schema.items, resolve);
  return type !== 'object' && (type !== undefined || schema.enum !== undefined || schema.const !== undefined);
}

function isFile({ responses }: OperationObject, resolve: Resolve): boolean {
  const answered = responses['200'];
  const types = Object.keys((answered && resolve(answered).content) ?? {});
  return types.length > 0 && !types.some((type) => /[/+]json$/.test(type));
}

export function textOfValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
