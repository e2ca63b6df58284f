import type { Release } from '@tributary/fhir-definitions';
import { type JsonObject, type JsonValue, type Resource, stringifyJson } from '@tributary/fhir-json';
import type { Response, Test } from 'supertest';
import type { RecordOverHttp } from '../../record-over-http';
import { resourceOf } from '../../record-over-http';

export const nobody = '0190aaaa-0000-7000-8000-000000000000';

/** One user's record in one release, with the requests that the cases of the http page share. */
export class Exchange {
  constructor(
    readonly user: RecordOverHttp,
    readonly release: Release,
  ) {}

  send(method: Parameters<RecordOverHttp['send']>[0], address: string, body?: JsonValue | string): Test {
    return this.user.send(method, this.path(address), body);
  }

  get(address: string): Test {
    return this.send('get', address);
  }

  path(address: string): string {
    return address === '' || address.startsWith('?') ? `/${this.release}${address}` : `/${this.release}/${address}`;
  }

  create(resource: JsonObject): Promise<Resource & { id: string }> {
    return this.user.create(this.release, resource);
  }

  jsonPatch(address: string, operations: JsonValue): Test {
    return this.send('patch', address)
      .set('Content-Type', 'application/json-patch+json')
      .send(stringifyJson(operations));
  }

  bundle(type: 'batch' | 'transaction', entry: JsonObject[]): Test {
    return this.send('post', '', { resourceType: 'Bundle', type, entry });
  }

  async count(address: string): Promise<JsonValue | undefined> {
    return resourceOf(await this.get(`${address}${address.includes('?') ? '&' : '?'}_summary=count`))['total'];
  }
}

/** A patient that an identifier tells from others. */
export function identified(value: string, more: JsonObject = {}): JsonObject {
  return { resourceType: 'Patient', identifier: [{ system: 'http://example.org/ids', value }], ...more };
}

/** The codes of the answers to the entries of a Bundle. */
export function statusesOf(response: Response): string[] {
  const entries = (resourceOf(response)['entry'] ?? []) as JsonObject[];
  return entries.map((entry) => String((entry['response'] as JsonObject | undefined)?.['status']).slice(0, 3));
}
