import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LocalServer {
  url: string;
  /** The addresses of the four APIs, all of them on this server. */
  addresses: { baseUrl: string; authUrl: string; searchUrl: string; analyticsUrl: string };
  /** Method and path of each request. */
  requests: string[];
  close: () => void;
}

export type Handler = (request: IncomingMessage & { text: string }, response: ServerResponse) => void | Promise<void>;

/** Starts an HTTP server on a free port. */
export async function localServer(handler: Handler): Promise<LocalServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => void handler(Object.assign(request, { text: Buffer.concat(pieces).toString() }), response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    addresses: { baseUrl: url, authUrl: url, searchUrl: url, analyticsUrl: url },
    requests,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}
