import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { testCertificate } from '@tributary/test-environment';

/** A request to a double, with its JSON body. */
export interface DoubleRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export interface DoubleResponse {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

/** A key service on this machine that answers as the documentation of a real one says. */
export interface KeyServiceDouble {
  /** The environment in which the service is configured and its credentials are found. */
  readonly environment: Readonly<Record<string, string>>;
  /** Two keys, as KEY_PROVIDER_KEY names them. */
  readonly keys: readonly [string, string];
  /** Makes a new version of a key. */
  rotateKey(key: string): Promise<void> | void;
  /** While it is not reachable, connections are closed without a response. */
  setReachable(isReachable: boolean): void;
  /** The number of requests that named a key; undefined where they cannot be counted. */
  requests(): number | undefined;
  close(): Promise<void>;
}

/** An HTTP server for a double. */
export class DoubleServer {
  isReachable = true;
  /** A folder for files of the double, which `close` removes. */
  readonly folder = mkdtempSync(join(tmpdir(), 'key-service-double-'));

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async listen(
    answer: (request: DoubleRequest) => DoubleResponse,
    { isTls = false } = {},
  ): Promise<DoubleServer> {
    const server = isTls ? createTlsServer(testCertificate('127.0.0.1')) : createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const double = new DoubleServer(server, `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`);
    if (isTls) writeFileSync(double.caFile, testCertificate('127.0.0.1').cert);
    server.on('request', (request, response) => void double.respond(request, response, answer));
    return double;
  }

  /** The certificate that the server is verified with; written with TLS only. */
  get caFile(): string {
    return join(this.folder, 'ca.pem');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
    rmSync(this.folder, { recursive: true });
  }

  private async respond(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (request: DoubleRequest) => DoubleResponse,
  ): Promise<void> {
    const content = await text(request).catch(() => '');
    if (!this.isReachable) return void request.socket.destroy();
    const {
      status = 200,
      headers = {},
      body,
    } = answer({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: content === '' ? {} : (JSON.parse(content) as Record<string, unknown>),
    });
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  }
}

export function fromBase64(value: unknown): Buffer {
  return Buffer.from(String(value), 'base64');
}
