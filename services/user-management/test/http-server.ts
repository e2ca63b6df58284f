import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

/** An HTTP server of a test, on a free port. */
export interface TestServer {
  url: string;
  close(): Promise<void>;
}

export async function listen(app: Express): Promise<TestServer> {
  // As the services do: an idle connection must not end while a request is sent on it.
  const server: Server = createServer({ keepAliveTimeout: 65_000 }, app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
