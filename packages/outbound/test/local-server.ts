import { once } from 'node:events';
import { type RequestListener, type Server, createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';

/** A server on an address of this machine. */
export interface LocalServer {
  origin: string;
  port: number;
  /** The TCP connections that were opened to it. */
  connections: number;
  close(): Promise<void>;
}

/** @param tls for https; without it the server uses http */
export async function serve(listener: RequestListener, address = '127.0.0.1', tls?: TlsOptions): Promise<LocalServer> {
  const server: Server = tls ? createHttpsServer(tls, listener) : createHttpServer(listener);
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const local: LocalServer = {
    origin: `${tls ? 'https' : 'http'}://${address}:${port}`,
    port,
    connections: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('connection', () => local.connections++);
  return local;
}
