import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { sendFailure, sendNotFound } from './responses';
import { type Replica, type Upstream, suspiciousSilenceMs } from './upstream';

/**
 * The time limit for the response of one of several replicas to a request that can be repeated. After this time the
 * request is sent to the next replica.
 */
const responseWithinMs = 10_000;
const idleWithinMs = 120_000;
const connectWithinMs = 3_000;

const notPassedOn = new Set(['transfer-encoding', 'strict-transport-security']);
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'expect', 'te', 'trailer']);

/**
 * Forwards a request to a replica, and its response back. A replica that cannot be connected to is skipped: nothing was
 * sent to it. A request that was sent is repeated at another replica only if its method is safe (RFC 9110, section
 * 9.2.1) and it has no body. Any other request without a response ends in 502 or 504, because it may have been
 * processed; 503 means that it was not.
 */
export function forward(request: IncomingMessage, response: ServerResponse, upstream: Upstream, path: string): void {
  new Forwarding(request, response, path).run(upstream).catch(() => {
    if (response.headersSent) response.destroy();
    else sendNotFound(response);
  });
}

type Outcome = 'done' | 'not sent' | 'no response' | 'timed out';

class Forwarding {
  readonly #hasBody: boolean;
  readonly #repeatable: boolean;
  readonly #headers: OutgoingHttpHeaders;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly path: string,
  ) {
    const { headers, method = 'GET', socket } = request;
    this.#hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    this.#repeatable = ['GET', 'HEAD', 'OPTIONS'].includes(method) && !this.#hasBody;
    this.#headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
    // No proxy is in front of this one, so what the client has sent could be any address.
    this.#headers['x-forwarded-for'] = socket.remoteAddress;
    this.#headers['x-forwarded-proto'] = 'encrypted' in socket ? 'https' : 'http';
    this.#headers['x-forwarded-host'] ??= headers.host;
  }

  async run(upstream: Upstream): Promise<void> {
    const candidates = upstream.candidates(performance.now());
    let failure: Exclude<Outcome, 'done'> = 'not sent';
    // A single replica is tried twice: it may close a kept-alive connection at the moment at which the request is sent
    // on it.
    const attempts = this.#repeatable && candidates.length === 1 ? [...candidates, ...candidates] : candidates;
    for (const [index, replica] of attempts.entries()) {
      const outcome = await this.#attempt(upstream, replica, index + 1 < candidates.length);
      if (outcome === 'done' || this.response.destroyed) return;
      failure = outcome;
      if (failure !== 'not sent' && !this.#repeatable) break;
    }
    const status = failure === 'not sent' || this.#repeatable ? 503 : failure === 'timed out' ? 504 : 502;
    sendFailure(this.response, status, upstream.errorFormat);
  }

  #attempt({ agent, tls }: Upstream, replica: Replica, hasNext: boolean): Promise<Outcome> {
    return new Promise((resolve) => {
      const { request, response } = this;
      let connected = false;
      let timedOut = false;
      const began = performance.now();
      const outgoing = (tls ? httpsRequest : httpRequest)({
        hostname: replica.hostname,
        port: replica.port,
        method: request.method,
        path: this.path,
        headers: this.#headers,
        agent,
      });
      const settle = replica.sent(began);
      const onClientClose = (): void => {
        if (!response.writableFinished) outgoing.destroy();
      };
      response.once('close', onClientClose);
      const waitMs = this.#repeatable && hasNext ? responseWithinMs : idleWithinMs;
      const connectTimer = setTimeout(() => outgoing.destroy(), connectWithinMs);
      outgoing.setTimeout(waitMs, () => {
        timedOut = true;
        outgoing.destroy();
      });
      const send = (): void => {
        connected = true;
        clearTimeout(connectTimer);
        if (!this.#hasBody) return void outgoing.end();
        request.pipe(outgoing);
        // A body that the replica refuses before its end is read to its end, because the next request follows it.
        outgoing.once('close', () => request.resume());
      };
      outgoing.once('socket', (socket) => {
        if (!socket.connecting) return send();
        readAfterFailedWrites(socket);
        socket.once(tls ? 'secureConnect' : 'connect', send);
      });
      outgoing.once('response', (incoming) => {
        outgoing.setTimeout(idleWithinMs);
        response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, endToEnd(incoming.rawHeaders));
        settle('responded', performance.now());
        resolve('done');
        pipeline(incoming, response, () => {
          // Node's client emits no 'drain' after the end of a response: the rest of a body would never be read.
          if (!outgoing.writableFinished) outgoing.destroy();
        });
      });
      outgoing.on('error', () => undefined);
      outgoing.once('close', () => {
        clearTimeout(connectTimer);
        response.off('close', onClientClose);
        const now = performance.now();
        if (response.destroyed) settle(now - began > suspiciousSilenceMs ? 'silent' : 'abandoned', now);
        else settle(timedOut ? 'silent' : 'refused', now);
        resolve(timedOut ? 'timed out' : connected ? 'no response' : 'not sent');
      });
    });
  }
}

/**
 * A replica that refuses a body responds, and may close the connection before the end of the body. Node destroys a
 * socket at the first failed write, with the response that it has not read yet. Reading goes on instead, and ends the
 * socket: it finds the response and the end of the connection, or the same error.
 */
function readAfterFailedWrites(socket: Socket): void {
  type Callback = (error?: Error | null) => void;
  const unlessFailed =
    (callback: Callback): Callback =>
    (error) =>
      error ? undefined : callback();
  const write = socket._write.bind(socket);
  const writev = socket._writev?.bind(socket);
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, unlessFailed(callback));
  if (writev) socket._writev = (chunks, callback) => writev(chunks, unlessFailed(callback));
}

/**
 * The headers of a response without the hop-by-hop ones (RFC 9110, section 7.6.1), in their original order and case. A
 * browser would apply Strict-Transport-Security to everything else at localhost.
 */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]];
    if (!hopByHop.has(name.toLowerCase()) && !notPassedOn.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}
