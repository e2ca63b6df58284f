import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Json, http } from '../suite/http';
import { addressVariables, readySuite } from '../suite/ready';

const ready = readySuite();
const program = join(__dirname, '..', '..', '..', 'docs', 'bruno.mjs');
/** The parser of Bruno, which has no types. */
const { bruToJsonV2 } = require('@usebruno/lang') as { bruToJsonV2: (text: string) => unknown };

interface Pair {
  name: string;
  value: string;
  enabled: boolean;
  type?: string;
}

describe('the Bruno collection', () => {
  let folder: string;
  /** The requests by the name of their file. */
  let requests: Map<string, Json>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bruno-'));
    await promisify(execFile)(process.execPath, [program, folder], {
      env: {
        ...process.env,
        ...addressVariables(ready),
      },
    });
    const names = readdirSync(folder, { recursive: true }) as string[];
    requests = new Map(
      names
        .filter((name) => name.endsWith('.bru') && !name.startsWith('environments'))
        .map((name) => [name, new Json(bruToJsonV2(readFileSync(join(folder, name), 'utf8')))]),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has a request for each operation of the OpenAPI documents, which Bruno can read', async () => {
    const documents = [
      ...['', '/audit', '/fhir-store'].map((path) => ready.base_url + path),
      ready.auth_url,
      ready.search_url,
      ready.analytics_url,
    ];
    let operations = 0;
    for (const address of documents) {
      const paths = (await http('GET', `${address}/openapi.json`)).json.at('paths') as Record<string, object>;
      for (const item of Object.values(paths))
        operations += Object.keys(item).filter((name) => /^(?:get|post|put|patch|delete)$/.test(name)).length;
    }
    expect(operations).toBeGreaterThan(50);
    expect(requests.size).toBe(operations);
    for (const request of requests.values())
      expect(request.text('http', 'url')).toMatch(/^\{\{(?:base|auth|search|analytics)_url\}\}\/[^{}\s]*$/);
  });

  it('creates a user, gets tokens, and writes and finds a resource, with the values of earlier responses', async () => {
    const values: Record<string, string> = {
      base_url: ready.base_url,
      auth_url: ready.auth_url,
      search_url: ready.search_url,
      analytics_url: ready.analytics_url,
      client_id: ready.client.client_id,
      client_secret: ready.client.client_secret,
    };
    await send('Users and connections', 'createUser', values);
    await send('Tokens', 'exchangeForTokens', values);
    const stored = await send('FHIR', 'createResource', values);
    const found = await send('FHIR', 'searchResource', values);
    expect(found.list('entry').map((entry) => new Json(entry).at('resource', 'id'))).toEqual([stored.text('id')]);
    expect((await send('FHIR', 'readResource', values)).value).toEqual(stored.value);
    await send('Tokens', 'exchangeForTokens', { ...values, code: 'another' }, 400);
  });

  /** Sends a request as Bruno does: with the enabled parts, the variables filled in, and its results kept in them. */
  async function send(group: string, id: string, values: Record<string, string>, expected?: number): Promise<Json> {
    const [, request] = [...requests].find(([name]) => name.startsWith(join(group, '/')) && name.includes(`(${id})`))!;
    const filled = (text: string): string =>
      text.replaceAll(/\{\{(\$?\w+)\}\}/g, (whole, name: string) =>
        name === '$guid' ? randomUUID() : (values[name] ?? whole),
      );
    const pairs = (...path: string[]): [string, string][] =>
      (request.list(...path) as Pair[])
        .filter(({ enabled, type = 'query' }) => enabled && type === 'query')
        .map(({ name, value }) => [name, filled(value)]);
    const query = new URLSearchParams(pairs('params')).toString();
    const token = request.at('auth', 'bearer', 'token');
    const isForm = request.at('http', 'body') === 'formUrlEncoded';
    const json = request.at('body', 'json');
    const path = new Map((request.list('params') as Pair[]).map(({ name, value }) => [name, filled(value)]));
    const url = filled(request.text('http', 'url')).replaceAll(
      /(?<=\/):(\w+)/g,
      (whole, name: string) => path.get(name) ?? whole,
    );
    const reply = await http(request.text('http', 'method').toUpperCase(), url + (query && `?${query}`), {
      headers: {
        ...Object.fromEntries(pairs('headers')),
        ...(typeof token === 'string' ? { Authorization: `Bearer ${filled(token)}` } : {}),
      },
      ...(isForm ? { form: Object.fromEntries(pairs('body', 'formUrlEncoded')) } : {}),
      ...(typeof json === 'string' ? { body: filled(json) } : {}),
    });
    if (expected === undefined)
      expect([id, reply.status, reply.status < 300 ? '' : reply.text]).toEqual([id, reply.status, '']);
    else expect([id, reply.status]).toEqual([id, expected]);
    for (const { name, value } of request.list('vars', 'res') as Pair[])
      values[name] = String(reply.json.at(...value.replace('res.body.', '').split('.')));
    return reply.json;
  }
});
