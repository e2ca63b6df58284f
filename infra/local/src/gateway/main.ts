import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, createServer } from 'node:http';
import { z } from 'zod';
import { connectedPage } from './connected-page';
import { findRoute, healthPath } from '@tributary/gateway';
import { forward } from './forward';
import { sendLive, sendNotFound } from './responses';
import { Upstream } from './upstream';

const errorFormat = z.enum(['fhir', 'json']);
const replicas = (format: z.infer<typeof errorFormat>) =>
  z
    .string()
    .min(1)
    .transform((text) => new Upstream(text.split(','), format));

/**
 * The reverse proxy of development; containers use HAProxy. USER_MANAGEMENT_URL, FHIR_STORE_URL, DOCUMENTATION_URL and
 * MCP_SERVER_URL are the origins of the replicas behind {base_url}, separated by commas. BALANCED lists further ports,
 * each of which balances the replicas of another service.
 */
const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int(),
  USER_MANAGEMENT_URL: replicas('json'),
  FHIR_STORE_URL: replicas('fhir'),
  DOCUMENTATION_URL: replicas('json'),
  MCP_SERVER_URL: replicas('json'),
  CONNECTED_PATH: z.string(),
  BALANCED: z
    .string()
    .default('[]')
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.array(z.object({ port: z.int(), to: z.array(z.url()).min(1), errorFormat }))),
});

const {
  HOST,
  PORT,
  USER_MANAGEMENT_URL: userManagement,
  FHIR_STORE_URL: fhirStore,
  DOCUMENTATION_URL: documentation,
  MCP_SERVER_URL: mcpServer,
  CONNECTED_PATH,
  BALANCED,
} = environment.parse(process.env);

const upstreams = new Map([
  ['user-management', userManagement],
  ['fhir-store', fhirStore],
  ['documentation', documentation],
  ['mcp-server', mcpServer],
]);

function serveBaseUrl(request: IncomingMessage, response: ServerResponse): void {
  const url = withoutOrigin(request.url ?? '/');
  const path = url.split('?', 1)[0] ?? '/';
  if (path === healthPath) return sendLive(response);
  if (path === CONNECTED_PATH) return connectedPage(response, new URL(url, 'http://localhost').searchParams);
  const route = findRoute(url);
  const upstream = route && upstreams.get(route.service);
  if (!upstream) return sendNotFound(response);
  forward(request, response, upstream, route.url);
}

/** A proxy's client sends the whole URL (RFC 9112, section 3.2.2). */
function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/');
}

function listen(port: number, listener: RequestListener): Server {
  return createServer({ maxHeaderSize: 65_536, keepAliveTimeout: 65_000, joinDuplicateHeaders: true }, listener).listen(
    port,
    HOST,
  );
}

const servers = [
  listen(PORT, serveBaseUrl),
  ...BALANCED.map(({ port, to, errorFormat: format }) => {
    const upstream = new Upstream(to, format);
    return listen(port, (request, response) => forward(request, response, upstream, withoutOrigin(request.url ?? '/')));
  }),
];

let stopping = false;
function stop(): void {
  if (stopping) return;
  stopping = true;
  let open = servers.length;
  for (const server of servers) {
    server.close(() => {
      if (--open === 0) process.exit(0);
    });
    server.closeIdleConnections();
  }
  setTimeout(() => servers.forEach((server) => server.closeAllConnections()), 20_000).unref();
}
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(signal, stop);
