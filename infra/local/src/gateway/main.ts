import { readFileSync } from 'node:fs';
import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, createServer } from 'node:http';
import { type Server as TlsServer, createServer as createTlsServer } from 'node:https';
import { z } from 'zod';
import { connectedPage } from './connected-page';
import { findRoute, healthPath, hintFor } from '@tributary/gateway';
import { forward } from './forward';
import { passThrough } from './pass-through';
import { sendLive, sendNotFound } from './responses';
import { Upstream } from './upstream';

const errorFormat = z.enum(['fhir', 'json']);
const replicas = z
  .string()
  .min(1)
  .transform((text) => text.split(','));
const pemFile = z
  .string()
  .transform((path) => readFileSync(path, 'utf8'))
  .optional();

/**
 * The reverse proxy of development; containers use HAProxy. USER_MANAGEMENT_URL, FHIR_STORE_URL, DOCUMENTATION_URL,
 * MCP_SERVER_URL and AUDIT_LOG_URL are the origins of the replicas behind {base_url}, separated by commas. BALANCED
 * lists further ports, each of which balances the replicas of another service. With TLS_CERTIFICATE_FILE and
 * TLS_KEY_FILE it serves HTTPS, and verifies the services with TLS_CA_FILE.
 */
const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int(),
  USER_MANAGEMENT_URL: replicas,
  FHIR_STORE_URL: replicas,
  DOCUMENTATION_URL: replicas,
  MCP_SERVER_URL: replicas,
  AUDIT_LOG_URL: replicas,
  TLS_CERTIFICATE_FILE: pemFile,
  TLS_KEY_FILE: pemFile,
  TLS_CA_FILE: pemFile,
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
  USER_MANAGEMENT_URL,
  FHIR_STORE_URL,
  DOCUMENTATION_URL,
  MCP_SERVER_URL,
  AUDIT_LOG_URL,
  TLS_CERTIFICATE_FILE: cert,
  TLS_KEY_FILE: key,
  TLS_CA_FILE: authority,
  CONNECTED_PATH,
  BALANCED,
} = environment.parse(process.env);

const upstreams = new Map<string, Upstream>(
  (
    [
      ['user-management', USER_MANAGEMENT_URL, 'json'],
      ['fhir-store', FHIR_STORE_URL, 'fhir'],
      ['documentation', DOCUMENTATION_URL, 'json'],
      ['mcp-server', MCP_SERVER_URL, 'json'],
      ['audit-log', AUDIT_LOG_URL, 'fhir'],
    ] as const
  ).map(([service, origins, format]) => [
    service,
    new Upstream(origins, format, authority === undefined ? undefined : { servername: service, authority }),
  ]),
);

function serveBaseUrl(request: IncomingMessage, response: ServerResponse): void {
  const url = withoutOrigin(request.url ?? '/');
  const path = url.split('?', 1)[0] ?? '/';
  if (path === healthPath) return sendLive(response);
  if (path === CONNECTED_PATH) return connectedPage(response, new URL(url, 'http://localhost').searchParams);
  const route = findRoute(url);
  const upstream = route && upstreams.get(route.service);
  if (!upstream) return sendNotFound(response, hintFor(path));
  forward(request, response, upstream, route.url);
}

/** A proxy's client sends the whole URL (RFC 9112, section 3.2.2). */
function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/');
}

function listen(port: number, listener: RequestListener): Server | TlsServer {
  const options = { maxHeaderSize: 65_536, keepAliveTimeout: 65_000, joinDuplicateHeaders: true };
  const server =
    cert === undefined || key === undefined
      ? createServer(options, listener)
      : createTlsServer({ ...options, cert, key, minVersion: 'TLSv1.2' }, listener);
  return server.listen(port, HOST);
}

/** Ports whose connections end at the services, as mutual TLS does. They end with this process. */
const passedThrough = authority === undefined ? [] : BALANCED;
for (const { port, to } of passedThrough) passThrough(to).listen(port, HOST);
const servers = [
  listen(PORT, serveBaseUrl),
  ...(passedThrough.length > 0 ? [] : BALANCED).map(({ port, to, errorFormat: format }) => {
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
