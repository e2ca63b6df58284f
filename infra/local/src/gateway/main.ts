import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { createProxyServer } from 'httpxy';
import { connectedPage } from './connected-page';
import { targetOf } from './targets';

/** The development stand-in for the reverse proxy of {base_url}: `PORT`, `USER_MANAGEMENT_URL`, `FHIR_STORE_URL`, `CONNECTED_PATH`. */
function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`the gateway cannot start: set ${name}`);
  return value;
}

const targets = { userManagement: required('USER_MANAGEMENT_URL'), fhirStore: required('FHIR_STORE_URL') };
const connectedPath = required('CONNECTED_PATH');
const proxy = createProxyServer({ xfwd: true, proxyTimeout: 120_000 });

proxy.on('error', (_error, _request, response) => {
  if (!response || !('writeHead' in response)) return;
  const answer = response as ServerResponse;
  if (answer.headersSent) answer.destroy();
  else sendJson(answer, 503, { success: false, error: 'a part of the service is not available; try again shortly', error_code: 'temporarily_unavailable' }, { 'Retry-After': '2' });
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? '/';
  const path = url.split('?', 1)[0] ?? '/';
  if (path === '/healthz') return sendJson(response, 200, { status: 'live' });
  if (path === connectedPath) return connectedPage(response, new URL(url, 'http://localhost').searchParams);
  const target = targetOf(url, targets);
  if (!target) return sendJson(response, 404, { success: false, error: 'there is nothing at this address', error_code: 'not_found' });
  request.url = target.url;
  void proxy.web(request, response, { target: target.origin });
}

/** An answer of the gateway itself; those of the services carry their own request id. */
function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const asked = response.req.headers['x-request-id'];
  response.setHeader('X-Request-Id', typeof asked === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(asked) ? asked : randomUUID());
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers }).end(JSON.stringify(body));
}

const server: Server = createServer({ maxHeaderSize: 65_536, keepAliveTimeout: 65_000 }, answer);
server.listen(Number(required('PORT')), process.env['HOST'] ?? '127.0.0.1');

let stopping = false;
function stop(): void {
  if (stopping) return;
  stopping = true;
  server.close(() => process.exit(0));
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), 20_000).unref();
}
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(signal, stop);
