import { Agent as HttpAgent, type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { Agent as HttpsAgent, createServer as createTlsServer } from 'node:https';
import { requestIdOf } from '@tributary/contracts';
import {
  type Backend,
  type FailureStatus,
  failureContent,
  findRoute,
  headers,
  healthPath,
  hintFor,
  jsonType,
  liveBody,
  notFoundBody,
} from '@tributary/gateway';
import { createProxyServer } from 'http-proxy-3';

/** The own certificate, and the authority of the certificates of the services, in PEM. */
export interface ProxyTls {
  cert: string;
  key: string;
  ca: string;
}

/**
 * The gateway of a machine without HAProxy, for one replica of each service.
 * @param origins by the names of the services behind {base_url}
 * @param tls serves HTTPS, and verifies the services
 */
export function createGateway(origins: Readonly<Record<string, string>>, tls?: ProxyTls): Server {
  const agents = new Map<string, HttpAgent>(
    Object.keys(origins).map((service) => [
      service,
      tls
        ? new HttpsAgent({ keepAlive: true, ca: tls.ca, servername: service, minVersion: 'TLSv1.2' })
        : new HttpAgent({ keepAlive: true }),
    ]),
  );
  const proxy = createProxyServer({ xfwd: true, proxyTimeout: 120_000 });
  // A browser would apply it to everything else at localhost.
  proxy.on('proxyRes', (incoming) => void delete incoming.headers['strict-transport-security']);

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? '/';
    const path = url.split('?', 1)[0] ?? '/';
    if (path === healthPath) return send(response, 200, jsonType, liveBody);
    const route = findRoute(url);
    const target = route && origins[route.backend.service];
    if (!route || target === undefined) return send(response, 404, jsonType, notFoundBody(hintFor(path)));
    const { backend } = route;
    request.url = route.url;
    // No proxy is in front of this one, so what the client has sent could be any address.
    delete request.headers['x-forwarded-for'];
    proxy.web(request, response, { target, agent: agents.get(backend.service) }, (error) => {
      const isRefused = 'code' in error && error.code === 'ECONNREFUSED';
      sendFailure(response, isRefused ? 503 : 502, backend);
    });
  };

  const options = { maxHeaderSize: 65_536, keepAliveTimeout: 65_000, joinDuplicateHeaders: true };
  return tls
    ? createTlsServer({ ...options, cert: tls.cert, key: tls.key, minVersion: 'TLSv1.2' }, serve)
    : createServer(options, serve);
}

/** Reports a failure; a response that has begun is cut off instead. */
function sendFailure(response: ServerResponse, status: FailureStatus, { errorFormat }: Backend): void {
  if (response.headersSent) return void response.destroy();
  const { contentType, body, retryAfter } = failureContent(status, errorFormat);
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  send(response, status, contentType, body);
}

const { 'Strict-Transport-Security': _notForLocalhost, ...ownHeaders } = headers;

function send(response: ServerResponse, status: number, contentType: string, body: object): void {
  const requestId = requestIdOf(response.req.headers['x-request-id']);
  response
    .writeHead(status, { ...ownHeaders, 'X-Request-Id': requestId, 'Content-Type': contentType })
    .end(JSON.stringify(body));
}
