import {
  Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  request as httpRequest,
} from 'node:http';
import { pipeline } from 'node:stream';
import { sendNotFound, sendOutcomeUnknown, sendUnavailable } from './own-answers';
import { isFhirPath } from './targets';
import { type Replica, type Upstream, suspiciousSilenceMs } from './upstream';

/** A request that may be repeated goes to another replica when one gives no answer for so long. */
const answerWithinMs = 10_000;
const idleWithinMs = 120_000;
const connectWithinMs = 3_000;

const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'expect', 'te', 'trailer']);

/**
 * Forwards a request to a replica, and its answer back. A replica that cannot be connected to is passed over: nothing was sent to it. A request
 * that was sent is repeated at another replica only if its method is safe (RFC 9110, 9.2.1) and it has no body. Any other request that gets no
 * answer ends in 502 or 504, because it may have been processed; 503 says that it was not.
 */
export function forward(request: IncomingMessage, response: ServerResponse, upstream: Upstream, path: string): void {
  new Forwarding(request, response, path).run(upstream.candidates(performance.now())).catch(() => {
    if (response.headersSent) response.destroy();
    else sendNotFound(response);
  });
}

type Outcome = 'done' | 'not sent' | 'no answer' | 'timed out';

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
    this.#headers['x-forwarded-for'] ??= socket.remoteAddress;
    this.#headers['x-forwarded-proto'] ??= 'http';
    this.#headers['x-forwarded-host'] ??= headers.host;
  }

  async run(candidates: Replica[]): Promise<void> {
    let failure: Exclude<Outcome, 'done'> = 'not sent';
    // A single replica is tried once more, because it may have closed a kept connection in the moment in which it was used.
    const attempts = this.#repeatable && candidates.length === 1 ? [...candidates, ...candidates] : candidates;
    for (const [index, replica] of attempts.entries()) {
      const outcome = await this.#attempt(replica, index + 1 < candidates.length);
      if (outcome === 'done' || this.response.destroyed) return;
      failure = outcome;
      if (failure !== 'not sent' && !this.#repeatable) break;
    }
    const isFhir = isFhirPath(this.path);
    if (failure === 'not sent' || this.#repeatable) sendUnavailable(this.response, isFhir);
    else sendOutcomeUnknown(this.response, isFhir, failure === 'timed out' ? 504 : 502);
  }

  #attempt(replica: Replica, hasNext: boolean): Promise<Outcome> {
    return new Promise((resolve) => {
      const { request, response } = this;
      let connected = false;
      let timedOut = false;
      const began = performance.now();
      const outgoing = httpRequest({
        hostname: replica.hostname,
        port: replica.port,
        method: request.method,
        path: this.path,
        headers: this.#headers,
        agent,
      });
      const settle = replica.sent(began);
      const clientLeft = (): void => {
        if (!response.writableFinished) outgoing.destroy();
      };
      response.once('close', clientLeft);
      const waitMs = this.#repeatable && hasNext ? answerWithinMs : idleWithinMs;
      const connectTimer = setTimeout(() => outgoing.destroy(), connectWithinMs);
      outgoing.setTimeout(waitMs, () => {
        timedOut = true;
        outgoing.destroy();
      });
      const send = (): void => {
        connected = true;
        clearTimeout(connectTimer);
        if (this.#hasBody) request.pipe(outgoing);
        else outgoing.end();
      };
      outgoing.once('socket', (socket) => (socket.connecting ? socket.once('connect', send) : send()));
      outgoing.once('response', (incoming) => {
        outgoing.setTimeout(idleWithinMs);
        response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, endToEnd(incoming.rawHeaders));
        settle('answered', performance.now());
        resolve('done');
        pipeline(incoming, response, () => undefined);
      });
      outgoing.on('error', () => undefined);
      outgoing.once('close', () => {
        clearTimeout(connectTimer);
        response.off('close', clientLeft);
        const now = performance.now();
        if (response.destroyed) settle(now - began > suspiciousSilenceMs ? 'silent' : 'abandoned', now);
        else settle(timedOut ? 'silent' : 'refused', now);
        resolve(timedOut ? 'timed out' : connected ? 'no answer' : 'not sent');
      });
    });
  }
}

/** The headers of an answer, as they came, without those of the connection. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]];
    if (!hopByHop.has(name.toLowerCase()) && name.toLowerCase() !== 'transfer-encoding') kept.push(name, value);
  }
  return kept;
}
