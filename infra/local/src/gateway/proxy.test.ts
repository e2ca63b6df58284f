import { once } from 'node:events';
import { type RequestListener, createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { issueCertificates } from '@tributary/certificates';
import { get } from '../suite/get';
import { createGateway } from './proxy';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const echo: RequestListener = (request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    response
      .writeHead(201, { 'Set-Cookie': ['a=1', 'b=2'], 'Strict-Transport-Security': 'max-age=1', Connection: 'close' })
      .end(JSON.stringify({ url: request.url, body, from: request.headers['x-forwarded-for'] }));
  });
};

async function gatewayTo(listener: RequestListener): Promise<string> {
  const origin = `http://127.0.0.1:${await portOf(createHttpServer(listener))}`;
  const gateway = createGateway({ 'fhir-store': origin, 'user-management': origin });
  return `http://127.0.0.1:${await portOf(gateway)}`;
}

it('forwards the request and the whole response, with the address of the client whatever the client has sent', async () => {
  const response = await fetch(`${await gatewayTo(echo)}/r4/Basic?x=%20y`, {
    method: 'POST',
    body: 'a resource',
    headers: { 'X-Forwarded-For': '203.0.113.1' },
  });
  expect([response.status, response.headers.getSetCookie(), await response.json()]).toEqual([
    201,
    ['a=1', 'b=2'],
    { url: '/r4/Basic?x=%20y', body: 'a resource', from: '127.0.0.1' },
  ]);
  expect(response.headers.get('strict-transport-security')).toBeNull();
});

it('gives a service its own path of a document', async () => {
  const response = await fetch(`${await gatewayTo(echo)}/user-management/openapi.json`);
  expect(await response.json()).toMatchObject({ url: '/openapi.json' });
});

it.each([
  ['/healthz', 200, { status: 'live' }],
  ['/R4/Patient', 404, { error: expect.stringContaining('did you mean /r4?') }],
])('responds to %s itself', async (path, status, body) => {
  const response = await fetch(`${await gatewayTo(echo)}${path}`);
  expect([response.status, await response.json()]).toEqual([status, expect.objectContaining(body)]);
});

it('responds 503 when the service accepts no connection, and 502 when the connection breaks', async () => {
  const closed = createHttpServer();
  const gateway = createGateway({
    'fhir-store': `http://127.0.0.1:${await portOf(closed)}`,
    'user-management': `http://127.0.0.1:${await portOf(createHttpServer((request) => request.socket.destroy()))}`,
  });
  closed.close();
  const url = `http://127.0.0.1:${await portOf(gateway)}`;
  const refused = await fetch(`${url}/r4/Patient`);
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    503,
    '2',
    expect.objectContaining({ resourceType: 'OperationOutcome' }),
  ]);
  const broken = await fetch(`${url}/connect/v1/connections`);
  expect([broken.status, await broken.json()]).toEqual([
    502,
    expect.objectContaining({ error_code: 'outcome_unknown' }),
  ]);
});

it('verifies the certificate and the name of a service', async () => {
  const names = ['gateway', 'fhir-store', 'search'] as const;
  const { authority, certificates } = await issueCertificates(
    Object.fromEntries(names.map((name) => [name, [name, 'localhost']])) as Record<(typeof names)[number], string[]>,
  );
  const service = createTlsServer(
    { cert: certificates['fhir-store'].certificate, key: certificates['fhir-store'].key },
    echo,
  );
  service.on('tlsClientError', () => undefined);
  const origin = `https://127.0.0.1:${await portOf(service)}`;
  const { certificate: cert, key } = certificates.gateway;
  const gateway = createGateway({ 'fhir-store': origin, 'user-management': origin }, { cert, key, ca: authority });
  const url = `https://localhost:${await portOf(gateway)}`;
  expect((await get(`${url}/r4/Patient`, authority)).status).toBe(201);
  expect((await get(`${url}/connect/v1/connections`, authority)).status).toBe(502);
});
