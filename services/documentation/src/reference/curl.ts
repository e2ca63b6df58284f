import { exampleOfParameter, examplesOf } from './example-of';
import type { OpenApiDocument, Operation } from './open-api-document';

/** What the examples of the documents have in place of credentials. */
const credentials = new Map(
  Object.entries({
    client_id: 'your-client-id',
    client_secret: 'your-client-secret',
    user_token: 'access-token-of-the-user',
    system_token: 'access-token-of-the-client',
  }),
);

export interface Call {
  method: string;
  path: string;
  operation: Operation;
}

/** A curl command that sends the examples of an operation, for POSIX shells. */
export function curlCommand({ method, path, operation }: Call, document: OpenApiDocument): string {
  const url = document.servers[0].url + filledPath(path, operation, document) + queryOf(operation, document);
  const body = bodyOf(operation);
  const words = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quoted(url)}`,
    ...(body.hasCredentials ? [] : credentialsOf(operation, document)),
    ...operation.parameters
      .filter((parameter) => parameter.in === 'header' && parameter.required)
      .map((parameter) => `-H ${quoted(`${parameter.name}: ${textOf(exampleOfParameter(parameter, document))}`)}`),
    ...body.words,
  ];
  return words.join(' \\\n  ');
}

function filledPath(path: string, operation: Operation, document: OpenApiDocument): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name);
    const example = parameter && exampleOfParameter(parameter, document);
    return example === undefined ? whole : encodeURIComponent(textOf(example));
  });
}

function queryOf(operation: Operation, document: OpenApiDocument): string {
  const required = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const pairs = required.map((parameter) => [parameter.name, textOf(exampleOfParameter(parameter, document))]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function credentialsOf(operation: Operation, document: OpenApiDocument): string[] {
  const [alternative = {}] = operation.security ?? document.security;
  return Object.keys(alternative).flatMap((name) => {
    const scheme = document.components.securitySchemes[name];
    if (scheme?.type === 'http' && scheme.scheme === 'bearer')
      return [`-H ${quoted(`Authorization: Bearer ${credentials.get(name) ?? name}`)}`];
    if (scheme?.type === 'http' && scheme.scheme === 'basic')
      return [`-u ${quoted(`${credentials.get('client_id')}:${credentials.get('client_secret')}`)}`];
    if (scheme?.type === 'apiKey' && scheme.in === 'header')
      return [`-H ${quoted(`${scheme.name}: ${credentials.get(name) ?? name}`)}`];
    return [];
  });
}

/** The first body that has an example, or a file. */
function bodyOf({ requestBody }: Operation): { words: string[]; hasCredentials: boolean } {
  if (!requestBody) return { words: [], hasCredentials: false };
  for (const [type, content] of Object.entries(requestBody.content)) {
    const [example] = examplesOf(content);
    if (!example) continue;
    const { value } = example;
    const isForm = type.endsWith('form-urlencoded');
    const words =
      isForm && value instanceof Object
        ? Object.entries(value).map(([name, one]) => `--data-urlencode ${quoted(`${name}=${textOf(one)}`)}`)
        : [`-H ${quoted(`Content-Type: ${type}`)}`, `-d ${quoted(textOf(value, 2))}`];
    return { words, hasCredentials: value instanceof Object && 'client_id' in value };
  }
  const type = Object.keys(requestBody.content).find((name) => !name.includes('*')) ?? 'application/octet-stream';
  return requestBody.required
    ? { words: [`-H ${quoted(`Content-Type: ${type}`)}`, '--data-binary @file'], hasCredentials: false }
    : { words: [], hasCredentials: false };
}

function textOf(value: unknown, indent?: number): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, indent) ?? '');
}

/** A word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
