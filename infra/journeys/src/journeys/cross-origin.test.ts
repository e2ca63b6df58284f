import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { hasBrowser, launchBrowser } from '../suite/browser';
import { checkAnswersOf } from '../suite/check-answers';
import { Json, bearer } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type User, newClient, newUser } from '../suite/users';

const ready = readySuite();

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

(hasBrowser ? describe : describe.skip)('a page of another origin', () => {
  let browser: Browser;
  let page: Page;
  let server: Server;
  let user: User;

  beforeAll(async () => {
    user = await newUser(ready, await newClient(ready, 'cross-origin journey'));
    server = createServer((_request, response) =>
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>app</title>'),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    browser = await launchBrowser();
    page = await browser.newPage();
    checkAnswersOf(page);
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await browser?.close();
    server.closeAllConnections();
    server.close();
  });

  /** Sends a request from the page, and returns what its script can read; undefined when the browser refuses. */
  function fromPage(
    method: string,
    url: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<Answer | undefined> {
    return page.evaluate(
      async ([method, url, headers, body]) => {
        try {
          const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
          return {
            status: response.status,
            headers: Object.fromEntries(response.headers.entries()),
            text: await response.text(),
          };
        } catch {
          return undefined;
        }
      },
      [method, url, headers, body] as const,
    );
  }
  const jsonOf = (answer: Answer | undefined): Json => new Json(JSON.parse(answer?.text ?? 'null'));

  it.each(['dstu2', 'stu3', 'r4'])('reads, searches and writes %s resources', async (release) => {
    const base = `${ready.base_url}/${release}`;
    const json = { ...bearer(user.access_token), 'Content-Type': 'application/fhir+json' };
    if (release === 'dstu2') json['Content-Type'] = 'application/json+fhir';
    const created = await fromPage(
      'POST',
      `${base}/Patient`,
      json,
      JSON.stringify({ resourceType: 'Patient', name: [{ text: 'Cross Origin' }] }),
    );
    expect(created).toMatchObject({
      status: 201,
      headers: { etag: 'W/"1"', location: expect.stringContaining('/Patient/'), 'x-request-id': expect.any(String) },
    });
    const id = jsonOf(created).text('id');
    const read = await fromPage('GET', `${base}/Patient/${id}`, bearer(user.access_token));
    expect([read?.status, jsonOf(read).at('id'), read?.headers['last-modified']]).toEqual([
      200,
      id,
      expect.any(String),
    ]);
    const changed = await fromPage(
      'PUT',
      `${base}/Patient/${id}`,
      { ...json, 'If-Match': 'W/"1"', 'X-Library': 'any' },
      read?.text,
    );
    expect([changed?.status, changed?.headers['etag']]).toEqual([200, 'W/"2"']);
    const found = await fromPage('GET', `${base}/Patient?_id=${id}`, bearer(user.access_token));
    expect([found?.status, jsonOf(found).at('entry', 0, 'resource', 'id')]).toEqual([200, id]);
    const deleted = await fromPage('DELETE', `${base}/Patient/${id}`, bearer(user.access_token));
    expect(deleted?.status).toBeLessThan(300);
  });

  it.each([
    ['GET', ready.base_url, '/r4/Patient', '/r4'],
    ['GET', ready.base_url, '/connect/v1/connections', '/connect/v1/connections'],
    ['POST', ready.base_url, '/mcp', '/mcp'],
    ['POST', ready.search_url, '/api/search', '/api/search'],
    ['GET', ready.analytics_url, '/bulk-data/r4/$export', '/bulk-data/r4'],
  ])(
    'reads the error of %s %s%s, and finds the token endpoint by its challenge',
    async (method, base, path, resource) => {
      const refused = await fromPage(method, `${base}${path}`, bearer('not-a-token'));
      expect(refused).toMatchObject({
        status: 401,
        headers: {
          'www-authenticate': expect.stringContaining('Bearer'),
          'x-request-id': expect.any(String),
        },
      });
      const [, metadataUrl = ''] = /resource_metadata="([^"]*)"/.exec(refused?.headers['www-authenticate'] ?? '') ?? [];
      const metadata = jsonOf(await fromPage('GET', metadataUrl));
      expect(metadata.at('resource')).toBe(`${base}${resource}`);
      const issuer = String(metadata.at('authorization_servers', 0));
      const server = jsonOf(await fromPage('GET', `${issuer}/.well-known/oauth-authorization-server`));
      expect(server.at('token_endpoint')).toBe(`${ready.auth_url}/oauth2/token`);
    },
  );

  it('searches health systems and lists connections', async () => {
    const found = await fromPage(
      'POST',
      `${ready.search_url}/api/search`,
      { ...bearer(user.access_token), 'Content-Type': 'application/json' },
      JSON.stringify({ query: 'sandbox' }),
    );
    expect([found?.status, jsonOf(found).at('success')]).toEqual([200, true]);
    const connections = await fromPage('GET', `${ready.base_url}/connect/v1/connections`, bearer(user.access_token));
    expect([connections?.status, jsonOf(connections).at('entry')]).toEqual([200, []]);
  });

  it('exports and downloads files', async () => {
    const base = `${ready.base_url}/r4`;
    await fromPage(
      'POST',
      `${base}/Condition`,
      { ...bearer(user.access_token), 'Content-Type': 'application/fhir+json' },
      JSON.stringify({
        resourceType: 'Condition',
        subject: { reference: 'Patient/1' },
        code: { text: 'Cross Origin' },
      }),
    );
    const manifest = await fromPage('GET', `${ready.analytics_url}/bulk-data/r4/$export`, bearer(user.access_token));
    expect(manifest?.status).toBe(200);
    const file = await fromPage('GET', jsonOf(manifest).text('output', 0, 'url'), bearer(user.access_token));
    expect([file?.status, file?.text]).toEqual([200, expect.stringContaining('"Cross Origin"')]);

    const accepted = await fromPage('GET', `${ready.analytics_url}/bulk-data/r4/$export`, {
      ...bearer(user.access_token),
      Prefer: 'respond-async',
    });
    expect(accepted).toMatchObject({ status: 202, headers: { 'content-location': expect.any(String) } });
    const status = await fromPage('GET', accepted?.headers['content-location'] ?? '', bearer(user.access_token));
    expect([200, 202]).toContain(status?.status);
    const deleted = await fromPage('DELETE', accepted?.headers['content-location'] ?? '', bearer(user.access_token));
    expect(deleted?.status).toBe(202);
  });

  it.each([
    `${ready.base_url}/r4/metadata`,
    ...['/dstu2', '/stu3', '/r4'].map((path) => `${ready.base_url}${path}/.well-known/smart-configuration`),
    ...['/dstu2', '/stu3', '/r4', '/connect/v1/connections', '/mcp'].map(
      (path) => `${ready.base_url}/.well-known/oauth-protected-resource${path}`,
    ),
    `${ready.search_url}/.well-known/oauth-protected-resource/api/search`,
    `${ready.analytics_url}/.well-known/oauth-protected-resource/bulk-data/r4`,
    `${ready.base_url}/openapi.json`,
    `${ready.base_url}/audit/openapi.json`,
    `${ready.base_url}/audit/r4/metadata`,
    `${ready.base_url}/.well-known/oauth-protected-resource/audit/r4`,
    `${ready.base_url}/fhir-store/openapi.json`,
    `${ready.auth_url}/openapi.json`,
    `${ready.auth_url}/.well-known/oauth-authorization-server`,
    `${ready.search_url}/openapi.json`,
    `${ready.analytics_url}/openapi.json`,
    `${ready.analytics_url}/bulk-data/r4/metadata`,
    `${ready.analytics_url}/bulk-data/r4/.well-known/smart-configuration`,
  ])('reads the public document %s', async (url) => {
    expect((await fromPage('GET', url))?.status).toBe(200);
  });

  it('cannot use a client secret anywhere', async () => {
    const { client_id, client_secret } = user;
    const secrets = { client_id, client_secret };
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const refused = await Promise.all([
      fromPage('GET', `${ready.base_url}/user-management/v1/user`, secrets),
      fromPage('GET', `${ready.base_url}/user-management/v1/user`),
      fromPage('POST', `${ready.base_url}/user-management/v1/user?app_user_id=page&client_id=${client_id}`, form),
      fromPage('GET', `${ready.base_url}/connect/v1/webhooks`, secrets),
      fromPage('POST', `${ready.auth_url}/oauth2/token`, form, new URLSearchParams(secrets).toString()),
      fromPage('POST', `${ready.auth_url}/oauth2/introspect`, form, new URLSearchParams(secrets).toString()),
      fromPage('GET', `${ready.analytics_url}/bulk-data/r4/$export`, { ...secrets, 'x-service-user-id': 'client' }),
    ]);
    expect(refused).toEqual(refused.map(() => undefined));
  });
});
