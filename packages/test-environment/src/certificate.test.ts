import { once } from 'node:events';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificate } from './certificate';

it.each(['127.0.0.1', 'localhost'])('creates a certificate that a client trusts for %s only', async (name) => {
  const certificate = testCertificate(name);
  expect(testCertificate(name)).toBe(certificate);
  const server = createServer(certificate, (_request, response) => response.end('there')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ask = (host: string): Promise<unknown> =>
    new Promise((resolve) => {
      get(
        { host, port: (server.address() as AddressInfo).port, ca: certificate.cert, agent: false },
        ({ statusCode }) => resolve(statusCode),
      ).on('error', ({ message }) => resolve(message));
    });
  expect(await ask(name)).toBe(200);
  expect(await ask(name === 'localhost' ? '127.0.0.1' : 'localhost')).toContain('altnames');
  server.close();
});
