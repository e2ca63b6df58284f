import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonObject, stringifyJson } from '@tributary/fhir-json';
import { PublicApi } from '@tributary/outbound';

type Resource = Record<string, unknown> & { resourceType: string; id: string };

interface StoredResource {
  release: string;
  resource: Resource;
}

/** The public APIs of fhir-store and user-management, as far as the tools call them, for tests. */
export class FakeRecord {
  readonly #stored: StoredResource[] = [];
  readonly #server: Server;
  connections: object[] = [];
  /** The requests in the order in which they came: path, query and headers. */
  readonly seen: {
    url: URL;
    token: string | undefined;
    accept: string | undefined;
    requestId: string | undefined;
    userAgent: string | undefined;
  }[] = [];
  /** Replaces every response. */
  respond: ((response: ServerResponse) => void) | undefined;

  private constructor() {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', this.url);
      const { authorization, accept, 'x-request-id': requestId, 'user-agent': userAgent } = request.headers;
      this.seen.push({ url, token: authorization, accept, requestId: String(requestId), userAgent });
      if (this.respond) return this.respond(response);
      this.#answer(url, response);
    });
  }

  static async start(): Promise<FakeRecord> {
    const record = new FakeRecord();
    record.#server.listen(0, '127.0.0.1');
    await once(record.#server, 'listening');
    return record;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get api(): PublicApi {
    return new PublicApi(this.url, () => undefined, 'tributary-mcp');
  }

  /** Adds a resource in its R4 form; its address in the source has a host and an id of its own. */
  add(release: string, resource: Resource, host = 'ehr.example.org', tenant = ''): string {
    const source = `https://${host}/${release}${tenant}/${resource.resourceType}/source-${resource.id}`;
    this.#stored.push({ release, resource: { meta: { source }, ...resource } });
    return `${release}/${resource.resourceType}/${resource.id}`;
  }

  clear(): void {
    this.#stored.length = 0;
    this.seen.length = 0;
    this.connections = [];
    this.respond = undefined;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(url: URL, response: ServerResponse): void {
    const [, release = '', type = '', id] = url.pathname.split('/');
    if (release === 'connect') return send(response, 200, { success: true, entry: this.connections });
    const ofType = this.#stored
      .filter((stored) => stored.release === release && hasType(stored, type))
      .map(({ resource }) => resource);
    if (id !== undefined) {
      const found = ofType.find((resource) => resource.id === id);
      return found ? send(response, 200, found) : send(response, 404, outcome('there is no such resource'));
    }
    const unknown = [...url.searchParams.keys()].find((name) => name === 'unknown');
    if (unknown) return send(response, 400, outcome('unknown: Condition has no search parameter unknown'));
    const ids = url.searchParams.get('_id')?.split(',');
    const patients = url.searchParams.get('patient')?.split(',');
    const category = url.searchParams.get('category');
    const withoutCategory = url.searchParams.get('category:missing') === 'true';
    const matches = ofType.filter(
      (resource) =>
        !(withoutCategory && resource['category']) &&
        (!ids || ids.includes(resource.id)) &&
        (!patients || patients.some((patient) => JSON.stringify(resource).includes(`"Patient/${patient}"`))) &&
        (!category || JSON.stringify(resource['category'] ?? '').includes(category)),
    );
    const from = Number(url.searchParams.get('_page') ?? 0);
    const count = Number(url.searchParams.get('_count') ?? url.searchParams.get('size') ?? 20);
    const page = matches.slice(from, from + count);
    const next = new URL(url);
    next.searchParams.set('_page', String(from + count));
    next.searchParams.set('size', String(count));
    send(response, 200, {
      resourceType: 'Bundle',
      type: 'searchset',
      total: matches.length,
      link: from + count < matches.length ? [{ relation: 'next', url: next.href }] : [],
      entry: page.map((resource) => ({ resource, search: { mode: 'match' } })),
    });
  }
}

/** A search of the type of the release also finds what is shown as another type of R4. */
function hasType({ release, resource }: StoredResource, type: string): boolean {
  return resource.resourceType === (release === 'dstu2' && type === 'MedicationOrder' ? 'MedicationRequest' : type);
}

function outcome(diagnostics: string): object {
  return { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'invalid', diagnostics }] };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/fhir+json' }).end(stringifyJson(body as JsonObject));
}

/** A CodeableConcept of LOINC. */
export function loinc(code: string, display: string): object {
  return { coding: [{ system: 'http://loinc.org', code, display }], text: display };
}
