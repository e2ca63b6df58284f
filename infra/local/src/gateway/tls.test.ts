import { once } from 'node:events';
import { type RequestListener, createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { type IssuedCertificates, issueCertificates } from '@tributary/certificates';
import { get } from '../suite/get';
import { forward } from './forward';
import { passThrough } from './pass-through';
import { Upstream } from './upstream';

let issued: IssuedCertificates<'auth' | 'search'>;
beforeAll(async () => {
  issued = await issueCertificates({ auth: ['auth', 'localhost'], search: ['search', 'localhost'] });
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A replica that responds with a text. */
function replica(name: 'auth' | 'search', text: string): Promise<number> {
  const { certificate, key } = issued.certificates[name];
  const listener: RequestListener = (request, response) =>
    response.setHeader('Connection', 'close').end(`${text} ${request.headers['x-forwarded-proto'] ?? ''}`);
  const server = createServer({ cert: certificate, key }, listener);
  server.on('tlsClientError', () => undefined);
  return portOf(server);
}

const originOf = (port: number): string => `https://127.0.0.1:${port}`;

describe('forward', () => {
  it('verifies the certificate and the name of a replica', async () => {
    const port = await replica('auth', 'forwarded');
    for (const [servername, expected] of [
      ['auth', [200, 'forwarded http']],
      ['search', [503, expect.stringContaining('temporarily_unavailable')]],
    ] as const) {
      const upstream = new Upstream([originOf(port)], 'json', { servername, authority: issued.authority });
      const gateway = await portOf(createHttpServer((request, response) => forward(request, response, upstream, '/')));
      const { status, text } = await get(`http://127.0.0.1:${gateway}`);
      expect([status, text]).toEqual(expected);
    }
  });
});

describe('passThrough', () => {
  it('connects callers to the replicas in turn, and to another one where none listens', async () => {
    const [one, two] = [await replica('auth', 'one'), await replica('auth', 'two')];
    const closed = await portOf(createHttpServer());
    servers.pop()?.close();
    const port = await portOf(passThrough([originOf(one), originOf(two), originOf(closed)]));
    const answers = [];
    for (let call = 0; call < 6; call++)
      answers.push((await get(`https://localhost:${port}`, issued.authority)).text.trim());
    expect(answers).toEqual(['one', 'two', 'one', 'one', 'two', 'one']);
  });

  it('ends the connection of the caller where no replica listens', async () => {
    const closed = await portOf(createHttpServer());
    servers.pop()?.close();
    const port = await portOf(passThrough([originOf(closed)]));
    await expect(get(`https://localhost:${port}`, issued.authority)).rejects.toThrow(/socket|ECONNRESET/);
  });
});
