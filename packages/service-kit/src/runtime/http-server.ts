import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type RequestListener, type Server, type ServerOptions, type ServerResponse, createServer } from 'node:http';
import { type Server as TlsServer, createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { measureRequest } from '../metrics/http-metrics';
import type { TlsIdentity } from '../transport/tls-identity';

/** A port that a service listens on. */
export interface Listener {
  app: RequestListener;
  port: number;
  host: string;
  /** The environment variable of the port. */
  variable: string;
  /** TLS with this certificate; absent for plain HTTP. */
  identity?: TlsIdentity | undefined;
  /** Whether clients are asked for a certificate. Requests without a trusted one are served, too. */
  requestsCertificate?: boolean;
  /** Whether connections are closed after the response to the next request. */
  isStopping(): boolean;
  /** Whether its requests are in the metrics; they are by default. */
  isMeasured?: boolean;
  /** How long a client may take nothing of a response before its connection is closed, in milliseconds. */
  stalledResponseMs?: number;
  /** How long a TLS handshake, and the headers of a request, may take, in milliseconds. */
  headersTimeoutMs?: number;
  /** How long a request may take to arrive with its body, in milliseconds. */
  requestTimeoutMs?: number;
}

/** As long as the gateway waits, and by default a download of an export. */
const defaultStalledResponseMs = 120_000;

const options: ServerOptions = {
  keepAliveTimeout: 65_000,
  maxHeaderSize: 32_768,
  // Otherwise the first of two Authorization headers would apply without notice.
  joinDuplicateHeaders: true,
};

export interface ListeningServer {
  readonly port: number;
  /**
   * Stops listening and resolves when all connections are closed; open requests finish.
   * @param withinMs after this time open connections are closed, in milliseconds
   */
  close(withinMs: number): Promise<void>;
}

/** @throws Error when the port is taken */
export async function listen(listener: Listener): Promise<ListeningServer> {
  const {
    app,
    port,
    host,
    variable,
    isStopping,
    stalledResponseMs = defaultStalledResponseMs,
    isMeasured = true,
  } = listener;
  const server = serverOf(listener);
  // Connections before the end of their TLS handshake are unknown to the methods of the server.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    // A kept connection would be closed soon, possibly while the client sends its next request.
    if (isStopping()) response.shouldKeepAlive = false;
    request.url = withoutOrigin(request.url ?? '/');
    closeStalled(request.socket, response, stalledResponseMs);
    // Once the server closes, a kept connection would delay the stop for as long as the client keeps it.
    response.once('close', () => {
      if (!server.listening) request.socket.destroySoon();
    });
    if (isMeasured) measureRequest(request, response);
    app(request, response);
  });
  server.on('clientError', refuseUnparsed);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw taken ? new Error(`port ${port} is taken: set ${variable} to a free one`) : error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: async (withinMs) => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), withinMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

/**
 * Closes the connection when the client takes nothing of the response for some time: otherwise it would keep the memory
 * of the response, and the limit of its requests at once. While the response is being prepared nothing waits for the
 * client.
 */
function closeStalled(socket: Socket, response: ServerResponse, afterMs: number): void {
  response.setTimeout(afterMs, () => {
    if (socket.writableLength > 0) socket.destroy();
  });
}

function serverOf({
  identity,
  requestsCertificate = false,
  headersTimeoutMs = 20_000,
  requestTimeoutMs = 120_000,
}: Listener): Server | TlsServer {
  const limits: ServerOptions = {
    ...options,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // How often this limit and that of requests are checked.
    connectionsCheckingInterval: headersTimeoutMs / 4,
  };
  if (!identity) return createServer(limits);
  const server = createTlsServer({
    ...limits,
    ...identity.options(),
    // Before it there are no headers to wait for.
    handshakeTimeout: headersTimeoutMs,
    requestCert: requestsCertificate,
    rejectUnauthorized: false,
  });
  identity.follow(server);
  return server;
}

/** A client of a proxy sends the whole URL (RFC 9112, section 3.2.2). */
function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/');
}

/** The responses to what Node's parser refuses, before there is a request. */
const unparsedStatus: ReadonlyMap<string, [string, string]> = new Map(
  Object.entries({
    HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers and the address are too long'],
    ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time'],
  }),
);

/**
 * Responds to what is not HTTP, with a request id and a message, and closes the connection. While a response is being
 * sent on it, the connection is closed without one, which would end up in its body.
 */
function refuseUnparsed(error: Error, socket: Duplex): void {
  const code = 'code' in error ? String(error.code) : '';
  // Before the end of a TLS handshake nothing can be sent.
  if (/^ERR_(?:TLS|SSL)_/.test(code)) {
    socket.destroy();
    return;
  }
  const { _httpMessage: current } = socket as Duplex & { _httpMessage?: { headersSent: boolean } | null };
  if (!socket.writable || current?.headersSent || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = unparsedStatus.get(code) ?? ['400 Bad Request', 'this is not an HTTP request'];
  socket.end(
    `HTTP/1.1 ${status}\r\nX-Request-Id: ${randomUUID()}\r\nCache-Control: no-store\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(message)}\r\nConnection: close\r\n\r\n${message}`,
    () => socket.destroy(),
  );
}
