import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { createProxyServer } from 'httpxy';
import { connectedPage } from './connected-page';
import { sendLive, sendNotFound, sendUnavailable } from './own-answers';
import { isFhirPath, targetOf } from './targets';

/** The development stand-in for the reverse proxy of {base_url}: `PORT`, `USER_MANAGEMENT_URL`, `FHIR_STORE_URL`, `CONNECTED_PATH`. */
function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`the gateway cannot start: set ${name}`);
  return value;
}

const targets = { userManagement: required('USER_MANAGEMENT_URL'), fhirStore: required('FHIR_STORE_URL') };
const connectedPath = required('CONNECTED_PATH');
const proxy = createProxyServer({ xfwd: true, proxyTimeout: 120_000 });

proxy.on('error', (_error, request, response) => {
  if (!response || !('writeHead' in response)) return;
  const answer = response as ServerResponse;
  if (answer.headersSent) answer.destroy();
  else sendUnavailable(answer, isFhirPath(request?.url ?? ''));
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? '/';
  const path = url.split('?', 1)[0] ?? '/';
  if (path === '/healthz') return sendLive(response);
  if (path === connectedPath) return connectedPage(response, new URL(url, 'http://localhost').searchParams);
  const target = targetOf(url, targets);
  if (!target) return sendNotFound(response);
  request.url = target.url;
  void proxy.web(request, response, { target: target.origin });
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
