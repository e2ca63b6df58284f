import type { Client, Role } from '../api/answers';
import { asClient, usersPath } from '../api/queries';
import { codeExchange, command, quoted } from '../components/curl';
import { facts } from '../facts';
import { type Field, type Operation, textOfValue } from './operations';

/** The inputs of an operation by the keys of its fields, and the text of its body as `json`. */
export type Values = Readonly<Record<string, string>>;
/** What belongs to the application and to the chosen user, by the names of parameters. */
export type Own = Readonly<Record<string, string | undefined>>;

/** What names the thing that a request is about. Everything else in a body is changed by it. */
const identifying: ReadonlySet<string> = new Set(['service_user_id', 'connection_id', 'endpoint_id']);

/** The inputs to begin with: the own identifiers. What a request would change is empty: a real user would get it. */
export function firstValues(
  { fields, body, isOfUser, key, method, credentials }: Operation,
  own: Own,
  client: Client,
): Values {
  const example = Object.entries(body?.example ?? {});
  const isChange = method !== 'GET' && credentials === 'client' && body?.contentType === 'application/json';
  const begun = isChange ? example.filter(([name]) => identifying.has(name)) : example;
  const ofBody = withOwn(Object.fromEntries(begun), own) as Record<string, unknown>;
  // As it is sent, it changes nothing.
  if (key === 'tokens.changeClient') Object.assign(ofBody, { name: client.name, redirect_uris: client.redirect_uris });
  const values = fields.map((field) => [field.key, firstValue(field, own, ofBody, isOfUser) ?? ''] as const);
  return {
    ...Object.fromEntries(values),
    ...(body?.isText ? { json: JSON.stringify(ofBody, undefined, 2) } : {}),
  };
}

function firstValue(field: Field, own: Own, body: Record<string, unknown>, isOfUser: boolean): string | undefined {
  const { name, example, choices } = field;
  if (field.in === 'body') return body[name] === undefined ? undefined : textOfValue(body[name]);
  if (field.in === 'header' && name === 'x-service-user-id') return 'client';
  if (field.in === 'path' || field.isRequired) return own[name] ?? example ?? choices?.[0];
  return isOfUser && name === 'service_user_id' ? own[name] : undefined;
}

function withOwn(value: unknown, own: Own): unknown {
  if (Array.isArray(value)) return value.map((each) => withOwn(each, own));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const given = own[name];
      if (given !== undefined && typeof each === 'number') return [name, Number(given)];
      return [name, given !== undefined && typeof each === 'string' ? given : withOwn(each, own)];
    }),
  );
}

export interface Request {
  /** Path and query, with a slash first. */
  path: string;
  headers: Record<string, string>;
  /** Undefined without one, and where its text is no JSON. */
  body?: unknown;
  /** As it is sent. */
  text?: string;
}

export function requestOf({ path, fields, body }: Operation, values: Values): Request {
  const given = fields.map((field) => ({ ...field, value: values[field.key]?.trim() ?? '' }));
  const of = (location: Field['in']) => given.filter((field) => field.in === location && field.value !== '');
  const filled = of('path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = new URLSearchParams(of('query').map(({ name, value }) => [name, value])).toString();
  const search = new URLSearchParams(of('search')[0]?.value).toString();
  const all = [query, search].filter(Boolean).join('&');
  return {
    path: filled + (all === '' ? '' : `?${all}`),
    headers: Object.fromEntries(of('header').map(({ name, value }) => [name, value])),
    ...(body ? bodyOf(body.isText, of('body'), values['json'] ?? '') : {}),
  };
}

function bodyOf(isText: boolean, fields: readonly (Field & { value: string })[], text: string): Partial<Request> {
  if (!isText) {
    const body = Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
    return { body, text: JSON.stringify(body) };
  }
  try {
    return { body: JSON.parse(text) as unknown, text };
  } catch {
    return { text };
  }
}

function valueOf({ type, value }: Field & { value: string }): unknown {
  if (type === 'number') return Number.isNaN(Number(value)) ? value : Number(value);
  if (type === 'boolean') return value === 'true';
  return type === 'list' ? value.split(',').map((each) => each.trim()) : value;
}

/** What is missing before a request can be sent, as a sentence. */
export function problemOf({ fields, body }: Operation, values: Values): string | undefined {
  const missing = fields.find(({ key, isRequired, in: location }) => {
    const isNeeded = isRequired || location === 'path';
    return isNeeded && (values[key]?.trim() ?? '') === '';
  });
  if (missing) return `Enter ${missing.name}.`;
  if (!body?.isText) return undefined;
  try {
    JSON.parse(values['json'] ?? '');
    return undefined;
  } catch {
    return 'The body is no JSON. Correct it.';
  }
}

export function curlOfOperation(operation: Operation, request: Request, clientId: string): string {
  const { method, api, credentials, body } = operation;
  const headers = Object.entries(request.headers).map(([name, value]) => quoted(`${name}: ${value}`));
  const authorization = {
    client: [quoted(`client_id: ${clientId}`), '"client_secret: $CLIENT_SECRET"'],
    user: ['"Authorization: Bearer $ACCESS_TOKEN"'],
    basic: [],
    none: [],
  }[credentials];
  return command({
    ...(method === 'GET' ? {} : { method }),
    url: facts.urls[api] + request.path,
    ...(credentials === 'basic' ? { user: `"${clientId}:$CLIENT_SECRET"` } : {}),
    headers: [...authorization, ...headers],
    ...(body && request.text !== undefined
      ? {
          body: body.contentType === 'application/x-www-form-urlencoded' ? formOf(request.body) : request.text,
          contentType: body.contentType,
        }
      : {}),
  });
}

function formOf(body: unknown): string {
  return new URLSearchParams(
    Object.entries((body ?? {}) as object).map(([name, value]) => [name, textOfValue(value)]),
  ).toString();
}

/** The way to an access token of a user, as lines of a shell. */
export function tokenCommands(clientId: string, serviceUserId: string): string {
  const code = command({
    method: 'POST',
    url: `${facts.urls.base_url}/${usersPath}/auth-code`,
    headers: [quoted(`client_id: ${clientId}`), '"client_secret: $CLIENT_SECRET"'],
    body: JSON.stringify({ service_user_id: Number(serviceUserId) }),
  });
  const token = codeExchange(clientId, '$CODE');
  return `CODE=$(${code} | jq -r .code)\nACCESS_TOKEN=$(${token} | jq -r .access_token)`;
}

/** How the console sends a request, or why it does not. */
export type Way = { path: (request: Request) => string } | { reason: string };

const apis = { base_url: 'base', auth_url: 'auth', analytics_url: 'analytics' } as const;
/** What the console forwards below {base_url} (the server's `called-api.ts`). */
const forwarded = /^\/(?:(?:user-management|connect)\/v1\/|audit\/(?:v1\/usage|r4\/AuditEvent)(?:$|\/\{))/;
const inFhir = /^\/\{release\}\/(?=.)/;

/** @param serviceUserId of the chosen user */
export function wayOf(operation: Operation, client: Client, role: Role, serviceUserId: string | undefined): Way {
  const { document, method, path, api, credentials, isFile } = operation;
  if (document === 'fhir' && credentials === 'user') {
    if (method !== 'GET') return { reason: 'The console only reads records. Send it by curl.' };
    if (!inFhir.test(path)) return { reason: 'The console does not send this search. Send it by curl.' };
    if (role === 'read_only') return { reason: 'Owners and developers read records.' };
    if (client.mode === 'live' && path !== '/{release}/$counts')
      return { reason: 'The console does not show the records of people. Send it by curl, with a token of the user.' };
    if (serviceUserId === undefined) return { reason: 'Choose the user whose record is read.' };
    return {
      path: (request) => `clients/${encodeURIComponent(client.client_id)}/users/${serviceUserId}${request.path}`,
    };
  }
  if (credentials === 'user') return { reason: 'It takes the access token of a user. Send it by curl.' };
  if (credentials === 'basic')
    return { reason: 'It takes the secret itself, which is not in this page. Send it by curl.' };
  if (credentials === 'none')
    return { reason: 'It needs no credentials, and is not sent by the console. Send it by curl.' };
  if (isFile) return { reason: 'It answers with a file of records. Send it by curl.' };
  const called = api === 'search_url' ? undefined : apis[api];
  const isSent = called !== undefined && (called !== 'base' || forwarded.test(path));
  if (!isSent || (path.startsWith('/audit/') && method !== 'GET'))
    return { reason: 'The console does not send this request. Send it by curl.' };
  const hasPatients =
    (called === 'analytics' && !path.endsWith('/usage')) ||
    /^\/(?:audit\/r4|connect\/v1\/connections)(?:\/|$)/.test(path);
  if (role === 'read_only' && (method !== 'GET' || hasPatients)) return { reason: 'Owners and developers send it.' };
  if (operation.key === 'tokens.deleteClient' && role !== 'owner')
    return { reason: 'Only owners delete applications.' };
  return { path: (request) => asClient(client.client_id, called, request.path.slice(1)) };
}

/** Whether an answer has what is shown once: a secret, a code or a link. */
export function isShownOnce({ method, path }: Operation): boolean {
  return method === 'POST' && /\/(?:user|auth-code|links|webhooks|(?:rotate-)?secret)$/.test(path);
}

/** Whether a request is asked about before it is sent: it deletes, or replaces a secret. */
export function isAskedAbout({ method, path }: Operation): boolean {
  return method === 'DELETE' || /\/(?:rotate-)?secret$/.test(path);
}
