import type { Release } from '@tributary/fhir-definitions';
import { type JsonObject, type JsonValue, type Resource, parseJson, stringifyJson } from '@tributary/fhir-json';
import request, { type Response, type Test } from 'supertest';

export const baseUrl = 'https://fhir.example.org';

/**
 * One user's record, spoken to over HTTP. Addresses are below the base, such as `/r4/Patient`; absolute ones of our own
 * are taken too.
 */
export class RecordOverHttp {
  constructor(
    private readonly url: string,
    readonly userId: number,
    readonly token: string,
  ) {}

  get(address: string): Test {
    return this.send('get', address);
  }

  send(
    method: 'get' | 'head' | 'options' | 'post' | 'put' | 'patch' | 'delete',
    address: string,
    body?: JsonValue | string,
  ): Test {
    const test = request(this.url)
      [method](address.replace(baseUrl, ''))
      .auth(this.token, { type: 'bearer' })
      .buffer(true)
      .parse(asText);
    if (body === undefined) return test;
    return test
      .set('Content-Type', 'application/fhir+json')
      .send(typeof body === 'string' ? body : stringifyJson(body));
  }

  /** Creates a resource; what is stored comes back. */
  async create(release: Release, resource: JsonObject): Promise<Resource & { id: string }> {
    const response = await this.send('post', `/${release}/${String(resource['resourceType'])}`, resource);
    if (response.status !== 201) throw new Error(`create answered ${response.status}: ${textOf(response)}`);
    return resourceOf(response) as Resource & { id: string };
  }

  /** One page of a search. */
  async bundle(address: string): Promise<Bundle> {
    const response = await this.get(address);
    if (response.status !== 200) throw new Error(`${address} answered ${response.status}: ${textOf(response)}`);
    return new Bundle(resourceOf(response));
  }

  /** Everything that a search finds, over all its pages. */
  async all(address: string): Promise<Resource[]> {
    const found: Resource[] = [];
    for (let next: string | undefined = address; next !== undefined;) {
      const page: Bundle = await this.bundle(next);
      found.push(...page.matches);
      next = page.link('next');
    }
    return found;
  }
}

interface Entry extends JsonObject {
  fullUrl?: string;
  resource?: Resource;
}

/** A Bundle that was answered. */
export class Bundle {
  constructor(readonly resource: Resource) {}

  get entries(): Entry[] {
    return (this.resource['entry'] ?? []) as Entry[];
  }

  get total(): JsonValue | undefined {
    return this.resource['total'];
  }

  get matches(): Resource[] {
    return this.inMode('match');
  }

  get included(): Resource[] {
    return this.inMode('include');
  }

  link(relation: string): string | undefined {
    const links = (this.resource['link'] ?? []) as JsonObject[];
    return links.find((link) => link['relation'] === relation)?.['url'] as string | undefined;
  }

  private inMode(mode: string): Resource[] {
    return this.entries
      .filter((entry) => (entry['search'] as JsonObject | undefined)?.['mode'] === mode)
      .map((entry) => entry.resource as Resource);
  }
}

/** The body as it came: decimals must keep their text. */
export function resourceOf(response: Response): Resource {
  return parseJson(textOf(response)) as Resource;
}

export function textOf(response: Response): string {
  return response.body as string;
}

function asText(response: Response, done: (error: Error | null, body: string) => void): void {
  const stream = response as unknown as NodeJS.ReadableStream;
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => done(null, Buffer.concat(chunks).toString('utf8')));
}
