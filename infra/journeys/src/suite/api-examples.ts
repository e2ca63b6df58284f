import { exampleValues } from '@tributary/contracts';
import { type Reply, bearer, http } from './http';
import { readySuite } from './ready';
import { type Release, releases, sampleOf } from './sample-resources';
import { type ClientKey, clientAssertion, clientKey, registerKeys } from './system-tokens';
import { type User, collected, connect, newAppUserId, newUser } from './users';

const ready = readySuite();

interface Parameter {
  $ref?: string;
  name: string;
  in: 'query' | 'path' | 'header';
  example?: unknown;
}

interface Media {
  example?: unknown;
  examples?: Record<string, { $ref?: string; value?: unknown }>;
}

interface Operation {
  operationId: string;
  security?: Record<string, []>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, unknown>;
}

interface Document {
  servers: [{ url: string }];
  security?: Record<string, []>[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

export interface Example {
  operationId: string;
  method: string;
  path: string;
  security: string[];
  parameters: Parameter[];
  contentType?: string;
  body?: unknown;
  /** Sent in place of the body. */
  text?: string;
  statuses: string[];
}

/** The names of the public documents, the base of each, and the base of its paths. */
export const publicDocuments: readonly (readonly [name: string, base: string, server: string])[] = [
  ['users and connections', ready.base_url, ready.base_url],
  ['tokens', ready.auth_url, ready.auth_url],
  ['health systems', ready.search_url, ready.search_url],
  ['bulk export', ready.analytics_url, ready.analytics_url],
  ['audit events', `${ready.base_url}/audit`, ready.base_url],
  ...releases.map((name) => [name, `${ready.base_url}/fhir-store`, ready.base_url] as const),
];

/** Every example request of a document: the parameters with an example, and each example body of each media type. */
export function examplesOf(document: Document): Example[] {
  const resolve = <T extends { $ref?: string }>(item: T): T => {
    const [, , kind = '', name = ''] = item.$ref?.split('/') ?? [];
    return item.$ref === undefined ? item : (document.components[kind]?.[name] as T);
  };
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const shared = {
        method: method.toUpperCase(),
        path,
        security: Object.keys((operation.security ?? document.security)?.[0] ?? {}),
        parameters: (operation.parameters ?? []).map(resolve).filter(({ example }) => example !== undefined),
        statuses: Object.keys(operation.responses).filter((status) => /^[23]/.test(status)),
      };
      const withExample = Object.entries(operation.requestBody?.content ?? {}).filter(
        ([, media]) => media.examples !== undefined || media.example !== undefined,
      );
      const bodies = withExample.flatMap(([contentType, media]) =>
        media.examples
          ? Object.entries(media.examples).map(([name, example]) => ({
              operationId: `${operation.operationId} ${name}`,
              contentType,
              body: resolve(example).value,
            }))
          : [{ operationId: operation.operationId, contentType, body: media.example }],
      );
      return bodies.length > 0
        ? bodies.map((body) => ({ ...shared, ...body }))
        : [{ ...shared, operationId: operation.operationId }];
    }),
  );
}

/** What the caller has: each value is obtained when an example contains it. */
export class OwnValues {
  #user: User | undefined;
  #connectionId: string | undefined;
  #endpointId: string | undefined;
  #key: ClientKey | undefined;

  constructor(
    private readonly client: { client_id: string; client_secret: string },
    private readonly release: Release | undefined,
  ) {}

  async user(): Promise<User> {
    return (this.#user ??= await newUser(ready, this.client));
  }

  /** The values that replace `exampleValues` in the texts of an example. */
  async of(example: Example): Promise<Map<string, string | number>> {
    const text = JSON.stringify([example.parameters, example.body]);
    const values = new Map<string, string | number>();
    const { analytics_url } = ready;
    const own: Record<keyof typeof exampleValues, () => Promise<string | number>> = {
      client_id: async () => this.client.client_id,
      client_secret: async () => this.client.client_secret,
      redirect_uri: async () => ready.client.redirect_uri,
      code: async () => (await this.#newUserOfClient()).json.text('code'),
      access_token: async () => (await this.user()).access_token,
      refresh_token: async () => (await newUser(ready, this.client)).refresh_token,
      client_assertion: async () =>
        clientAssertion(ready, this.client.client_id, (this.#key ??= await this.#registeredKey())),
      service_user_id: async () => (await newUser(ready, this.client)).service_user_id,
      app_user_id: async () => (example.path.endsWith('auth-code') ? (await this.user()).app_user_id : newAppUserId()),
      health_system_id: async () => ready.sandbox.health_system_id,
      connect_link: async () => {
        const created = await http('POST', `${ready.base_url}/connect/v1/links`, {
          headers: bearer((await this.user()).access_token),
          json: { health_system_id: ready.sandbox.health_system_id },
        });
        return created.json.text('url').split('/').at(-1) ?? '';
      },
      connection_id: async () => (this.#connectionId ??= await this.#connected()),
      endpoint_id: async () => (this.#endpointId ??= await this.#newEndpoint()),
      webhook_url: async () => `http://127.0.0.1:9/${newAppUserId()}`,
      webhook_id: async () => this.#ownEvent((this.#endpointId ??= await this.#newEndpoint())),
      export_id: async () => {
        const started = await http('GET', `${analytics_url}/bulk-data/r4/$export`, {
          headers: { ...bearer((await this.user()).access_token), Prefer: 'respond-async' },
        });
        return started.headers.get('content-location')?.split('/').at(-1) ?? '';
      },
      file_token: () => this.#fileToken(),
      resource_id: () => this.#stored(typeOf(example)),
      audit_event_id: async () => {
        await this.#stored('Patient');
        const events = await http('GET', `${ready.base_url}/audit/r4/AuditEvent?subtype=create`, {
          headers: bearer((await this.user()).access_token),
        });
        return events.json.text('entry', 0, 'resource', 'id');
      },
    };
    const patient = `Patient/${exampleValues.resource_id}`;
    if (this.release && text.includes(patient)) values.set(patient, `Patient/${await this.#stored('Patient')}`);
    if (this.release && example.path.startsWith('/{release}')) values.set('r4', this.release);
    for (const [name, value] of Object.entries(exampleValues)) {
      if (text.includes(JSON.stringify(value).replaceAll('"', '')))
        values.set(String(value), await own[name as keyof typeof exampleValues]());
    }
    return values;
  }

  async #registeredKey(): Promise<ClientKey> {
    const key = clientKey('ES384');
    await registerKeys(this.client.client_id, key);
    return key;
  }

  async #newEndpoint(): Promise<string> {
    const created = await http('POST', `${ready.base_url}/connect/v1/webhooks`, {
      headers: { ...this.client },
      json: { url: `http://127.0.0.1:9/${newAppUserId()}` },
    });
    return created.json.text('endpoint_id');
  }

  /** The webhook-id of an event to an endpoint: a user is deleted for it. */
  async #ownEvent(endpointId: string): Promise<string> {
    const { service_user_id } = await newUser(ready, this.client);
    await http('DELETE', `${ready.base_url}/user-management/v1/user`, {
      headers: { ...this.client },
      form: { service_user_id: String(service_user_id) },
    });
    const deliveries = await http('GET', `${ready.base_url}/connect/v1/webhooks/${endpointId}/deliveries`, {
      headers: { ...this.client },
    });
    return deliveries.json.text('entry', 0, 'webhook_id');
  }

  #newUserOfClient(): Promise<Reply> {
    return http('POST', `${ready.base_url}/user-management/v1/user`, {
      headers: { ...this.client },
      form: { app_user_id: newAppUserId() },
    });
  }

  async #connected(): Promise<string> {
    const user = await this.user();
    await connect(ready, user, 'amelia-hart', { fhirVersion: 'r4' });
    const [connection] = await collected(ready, user);
    if (!connection) throw new Error('the user has no connection');
    return connection.text('connection_id');
  }

  async #fileToken(): Promise<string> {
    await this.#stored('Observation');
    const manifest = await http('GET', `${ready.analytics_url}/bulk-data/r4/$export?_type=Observation`, {
      headers: bearer((await this.user()).access_token),
    });
    return /([^/]+)\.ndjson$/.exec(manifest.json.text('output', 0, 'url'))?.[1] ?? '';
  }

  /** Stores a resource of a type, and returns its id. */
  async #stored(type: string): Promise<string> {
    const release = this.release ?? 'r4';
    const reply = await http('POST', `${ready.base_url}/${release}/${type}`, {
      headers: bearer((await this.user()).access_token),
      json: sampleOf(release, type),
    });
    return reply.json.text('id');
  }
}

/** The resource type of an example's path; where the path has a parameter for it, its example. Elsewhere Patient. */
function typeOf({ path, parameters }: Example): string {
  const segments = path.split('/');
  if (segments.includes('{type}')) return String(parameters.find(({ name }) => name === 'type')?.example);
  return segments.find((segment) => /^[A-Z]/.test(segment)) ?? 'Patient';
}

const documents = new Map<string, Document>();
export async function documentOf(base: string): Promise<Document> {
  const known = documents.get(base) ?? ((await http('GET', `${base}/openapi.json`)).json.value as Document);
  documents.set(base, known);
  return known;
}

function replaced(value: unknown, values: ReadonlyMap<string, string | number>): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, values));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaced(item, values)]));
  const whole = values.get(String(value));
  if (whole !== undefined) return whole;
  if (typeof value !== 'string') return value;
  // A number stands alone; a text can be a part of another, such as an id in a reference.
  return [...values]
    .filter(([, to]) => typeof to === 'string')
    .reduce((text, [from, to]) => text.replaceAll(from, String(to)), value);
}

/** Sends an example with the values and the credentials of the caller in place of those of the document. */
export async function send(base: string, example: Example, own: OwnValues): Promise<Reply> {
  return sendWith(base, example, await own.of(example), await own.user());
}

/** @param values in place of those of the document */
export function sendWith(
  base: string,
  example: Example,
  values: ReadonlyMap<string, string | number>,
  user: User,
): Promise<Reply> {
  const { contentType, body, text, parameters, security } = example;
  let path = example.path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = contentType === undefined ? {} : { 'Content-Type': contentType };
  for (const { name, in: location, example: given } of parameters) {
    const value = replaced(given, values);
    if (location === 'path') path = path.replace(`{${name}}`, () => encodeURIComponent(String(value)));
    else if (location === 'header') headers[name] = String(value);
    else for (const each of [value].flat()) query.append(name, String(each));
  }
  if (security.includes('user_token')) Object.assign(headers, bearer(user.access_token));
  if (security.includes('client_id'))
    Object.assign(headers, { client_id: user.client_id, client_secret: user.client_secret });
  const content = replaced(body, values);
  return http(example.method, `${base}${path}${query.size > 0 ? `?${query.toString()}` : ''}`, {
    headers,
    ...(text === undefined ? {} : { body: text }),
    ...(body === undefined || text !== undefined
      ? {}
      : {
          body: contentType === 'application/x-www-form-urlencoded' ? formOf(content) : JSON.stringify(content),
        }),
  });
}

/** A form, also of what is no record of texts. */
function formOf(content: unknown): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(content ?? {}) as [string, unknown][])
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  return form.toString();
}
