import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, createServer } from 'node:http';
import { z } from 'zod';
import { connectedPage } from './connected-page';
import { forward } from './forward';
import { sendLive, sendNotFound } from './own-answers';
import { targetOf } from './targets';
import { Upstream } from './upstream';

const replicas = z
  .string()
  .min(1)
  .transform((text) => new Upstream(text.split(',')));

/**
 * The development stand-in for the reverse proxy. USER_MANAGEMENT_URL and FHIR_STORE_URL name the replicas behind {base_url}, separated by commas;
 * BALANCED names further ports, each of which stands for all replicas of another service.
 */
const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int(),
  USER_MANAGEMENT_URL: replicas,
  FHIR_STORE_URL: replicas,
  CONNECTED_PATH: z.string(),
  BALANCED: z
    .string()
    .default('[]')
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.array(z.object({ port: z.int(), to: z.array(z.url()).min(1) }))),
});

const {
  HOST,
  PORT,
  USER_MANAGEMENT_URL: userManagement,
  FHIR_STORE_URL: fhirStore,
  CONNECTED_PATH,
  BALANCED,
} = environment.parse(process.env);

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? '/';
  const path = url.split('?', 1)[0] ?? '/';
  if (path === '/healthz') return sendLive(response);
  if (path === CONNECTED_PATH) return connectedPage(response, new URL(url, 'http://localhost').searchParams);
  const target = targetOf(url, { userManagement, fhirStore });
  if (!target) return sendNotFound(response);
  forward(request, response, target.service, target.url);
}

function listen(port: number, listener: RequestListener): Server {
  return createServer({ maxHeaderSize: 65_536, keepAliveTimeout: 65_000 }, listener).listen(port, HOST);
}

const servers = [
  listen(PORT, answer),
  ...BALANCED.map(({ port, to }) => {
    const upstream = new Upstream(to);
    return listen(port, (request, response) => forward(request, response, upstream, request.url ?? '/'));
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
