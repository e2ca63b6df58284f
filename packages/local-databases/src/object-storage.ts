import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, type RequestListener, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireFreePort } from './port';
import type { ServerCertificate } from './postgres';

export interface ObjectStorageCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface ObjectStorageServerOptions {
  /** A free port by default. */
  readonly port?: number;
  /** Where the objects are kept; by default in a temporary directory, which is deleted at the end. */
  readonly directory?: string;
  /** Random ones by default. */
  readonly credentials?: ObjectStorageCredentials;
  /** For localhost; plain HTTP without it. */
  readonly tls?: ServerCertificate | undefined;
}

export interface RunningObjectStorage extends ObjectStorageCredentials {
  /** The address, which a bucket follows as the first part of a path. */
  readonly endpoint: string;
  /** The one bucket, which exists. */
  readonly bucket: string;
  /** The environment variables with which a service uses it. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const bucket = 'attachments';

/** The server is loaded only where it is used. */
async function loadServer() {
  const { default: Server } = await import('@20minutes/s3rver');
  const { DUMMY_ACCOUNT: account } = await import('@20minutes/s3rver/lib/models/account.js');
  return { Server, account };
}

/**
 * Starts an S3 server in this process. It listens on 127.0.0.1 and has one bucket.
 * @throws Error when the port is taken
 */
export async function startObjectStorage({
  port = 0,
  directory,
  credentials = {
    accessKeyId: randomBytes(10).toString('hex'),
    secretAccessKey: randomBytes(30).toString('base64url'),
  },
  tls,
}: ObjectStorageServerOptions = {}): Promise<RunningObjectStorage> {
  const { Server, account } = await loadServer();
  if (port !== 0) await requireFreePort(port, 'the object storage');
  if (directory !== undefined) await mkdir(directory, { recursive: true, mode: 0o700 });
  const root = directory ?? (await mkdtemp(join(tmpdir(), 'tributary-objects-')));
  const s3 = new Server({ directory: root, silent: true, vhostBuckets: false, configureBuckets: [{ name: bucket }] });
  await s3.configureBuckets();
  account.revokeAccessKey('S3RVER');
  account.createKeyPair(credentials.accessKeyId, credentials.secretAccessKey);
  const serve = guarded(s3.callback(), root);
  const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.key }, serve) : createServer(serve);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `${tls ? 'https' : 'http'}://localhost:${(server.address() as AddressInfo).port}`;
  return {
    ...credentials,
    endpoint,
    bucket,
    variables: {
      OBJECT_STORAGE_BUCKET: bucket,
      OBJECT_STORAGE_ENDPOINT: endpoint,
      OBJECT_STORAGE_ACCESS_KEY_ID: credentials.accessKeyId,
      OBJECT_STORAGE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      account.revokeAccessKey(credentials.accessKeyId);
      if (directory === undefined) await rm(root, { recursive: true, force: true });
    },
  };
}

/** Refuses requests without a signature, which the server would serve, and aborts uploads, which it cannot. */
function guarded(serve: RequestListener, root: string): RequestListener {
  return (request, response) => {
    if (request.headers.authorization === undefined) return void response.writeHead(403).end();
    const upload = request.method === 'DELETE' ? uploadOf(request) : undefined;
    if (upload === undefined) return serve(request, response);
    rm(join(root, bucket, '._S3rver_uploads', upload), { recursive: true, force: true }).then(
      () => response.writeHead(204).end(),
      () => response.writeHead(500).end(),
    );
  };
}

function uploadOf({ url = '' }: IncomingMessage): string | undefined {
  return /[?&]uploadId=([\w-]+)/.exec(url)?.[1];
}
