import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@tributary/service-kit';
import request from 'supertest';
import { exampleDocument } from '../../test/example-document';
import { urls } from '../../test/urls';
import { documentationApp } from '../app';
import { references as names } from '../contents';
import { curlCommand } from './curl';
import { parseDocument } from './open-api-document';
import { References } from './references';

const log = createLog('documentation', 'silent');

let source: Server;
let requests: string[];
let answer: { status: number; body: string };
beforeEach(async () => {
  requests = [];
  answer = { status: 200, body: JSON.stringify(exampleDocument) };
  source = createServer((incoming, response) => {
    requests.push(String(incoming.url));
    response.writeHead(answer.status).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(source, 'listening');
});
afterEach(() => source.close());

function app(): ReturnType<typeof documentationApp> {
  const origin = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
  const from = { base_url: origin, auth_url: origin, search_url: origin, analytics_url: origin };
  return documentationApp({ files: new Map(), references: new References({ urls, from, log }), urls, log });
}

describe('the API reference', () => {
  it('reads the document of each API at its own path, once for all of its pages', async () => {
    const site = app();
    await Promise.all([
      request(site).get('/docs/reference/tokens').expect(200),
      request(site).get('/docs/reference/tokens/visit-types').expect(200),
      request(site).get('/docs/reference/fhir-r4').expect(200),
    ]);
    await request(site).get('/docs/reference/tokens/types').expect(200);
    expect(requests.sort()).toEqual(['/openapi.json', '/r4/openapi.json']);
  });

  it.each(['', '/visit-types', '/events', '/types'])(
    'links only to pages and sections that exist: %s',
    async (page) => {
      const site = app();
      const first = '/docs/reference/tokens';
      const { text } = await request(site).get(first + page);
      const links = [...text.matchAll(/href="(?=\/docs\/reference\/tokens|#)([^"#]*)#?([^"]*)"/g)];
      expect(links.length).toBeGreaterThan(4);
      for (const [, path, fragment] of links) {
        const target = await request(site).get(path || first + page);
        expect([path, target.status]).toEqual([path, 200]);
        if (fragment) expect(target.text).toContain(`id="${fragment}"`);
      }
    },
  );

  it('shows what a request needs and what comes back', async () => {
    const { text } = await request(app()).get('/docs/reference/tokens/visit-types');
    const plain = text
      .replaceAll('<div>', ' ')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ');
    for (const line of [
      'GET /visits/type/{id}',
      'id string in path required',
      'How many. Resource-count',
      '0 to 1000. Default: 20.',
      'Authentication: client_id and client_secret, or none.',
      'name string required Its name. 1 to 80 characters.',
      'place.room integer required At least 1.',
      'follows VisitType or null',
      '404 There is no such type.',
      'A type in the record',
      'ETag The version.',
    ])
      expect(plain).toContain(line);
    // A type of a body is on the page, others are on the page of types.
    expect(text).toContain('<a href="#type-VisitType">');
    expect(text).toContain('<a href="/docs/reference/tokens/types#type-Period">');
  });

  it('escapes the texts of a document, and has no inline script, style or event handler', async () => {
    const site = app();
    for (const page of ['', '/visit-types', '/events', '/types']) {
      const { text } = await request(site).get(`/docs/reference/tokens${page}`);
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle="|\son\w+="|<tags>|<unique>/);
    }
    expect((await request(site).get('/docs/reference/tokens')).text).toContain('&lt;tags&gt;');
  });

  it('has no page for an unknown API or part, and for the names of properties of objects', async () => {
    const site = app();
    for (const path of ['nothing', 'constructor', 'tokens/nothing', 'tokens/__proto__'])
      await request(site).get(`/docs/reference/${path}`).expect(404);
  });

  it.each([
    ['fails', { status: 503, body: '{}' }],
    ['sends something else', { status: 200, body: '{"swagger":"2.0"}' }],
  ])('says so when the service %s, and recovers', async (_name, bad) => {
    const site = app();
    const good = answer;
    answer = bad;
    const refused = await request(site).get('/docs/reference/tokens');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '60']);
    expect(refused.text).toContain('https://auth.example.org/openapi.json');
    answer = good;
    await request(site).get('/docs/reference/tokens').expect(200);
  });

  it('keeps its pages while a service cannot be reached, and takes a new document', async () => {
    const site = app();
    const clock = jest.spyOn(performance, 'now');
    try {
      const later = (minutes: number): unknown => clock.mockReturnValue(minutes * 60_000);
      later(0);
      await request(site).get('/docs/reference/tokens').expect(200);
      answer = { status: 500, body: '' };
      later(6);
      await request(site).get('/docs/reference/tokens').expect(200);
      answer = { status: 200, body: JSON.stringify({ ...exampleDocument, info: { title: 'New', version: '2' } }) };
      // The request that finds an old document starts to read the next one.
      let text = '';
      for (let attempt = 0; attempt < 1000 && (text === '' || text.includes('visits of a patient')); attempt++)
        ({ text } = await request(site).get('/docs/reference/tokens').expect(200));
      expect(text).not.toContain('visits of a patient');
    } finally {
      clock.mockRestore();
    }
  });

  it('has a document for each name', () => {
    expect(new Set(names.map(({ name }) => name)).size).toBe(names.length);
  });
});

describe('the curl command', () => {
  const document = parseDocument(JSON.stringify(exampleDocument));
  /** The arguments that a shell passes to curl. */
  function argumentsOf(path: string, method: 'get' | 'post' | 'delete'): string[] {
    const operation = document.paths[path]![method]!;
    const command = curlCommand({ method, path, operation }, document);
    const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
    return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  }

  it('fills in the examples of the path, and credentials by name', () => {
    expect(argumentsOf('/type/{id}', 'get')).toEqual([
      'https://api.example.org/visits/type/a%2Fb',
      '-H',
      'Authorization: Bearer access-token-of-the-user',
    ]);
    expect(argumentsOf('/type/{id}', 'delete')).toEqual([
      '-X',
      'DELETE',
      'https://api.example.org/visits/type/a%2Fb',
      '-H',
      'client_id: your-client-id',
      '-H',
      'client_secret: your-client-secret',
    ]);
  });

  it('quotes a body for the shell', () => {
    const words = argumentsOf('/type', 'post');
    expect(JSON.parse(words.at(-1) ?? '')).toEqual({ name: "Dentist's check", place: { room: 1 } });
  });
});
