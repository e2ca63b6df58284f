import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  AbortMultipartUploadCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { type RunningObjectStorage, startObjectStorage } from '.';

const running: RunningObjectStorage[] = [];
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tributary-local-objects-'));
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  await rm(directory, { recursive: true, force: true });
});

async function start(options?: Parameters<typeof startObjectStorage>[0]): Promise<RunningObjectStorage> {
  const server = await startObjectStorage(options);
  running.push(server);
  return server;
}

function clientOf({ endpoint, ...credentials }: RunningObjectStorage): S3Client {
  return new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 });
}

async function put(server: RunningObjectStorage, key: string): Promise<void> {
  await clientOf(server).send(new PutObjectCommand({ Bucket: server.bucket, Key: key, Body: 'bytes' }));
}

test('objects survive a restart with the same credentials', async () => {
  const credentials = { accessKeyId: 'tributary', secretAccessKey: 'a-secret-of-this-test' };
  const first = await start({ directory, credentials });
  await put(first, 'one');
  await running.pop()?.stop();
  const second = await start({ directory, credentials });
  const { Body } = await clientOf(second).send(new GetObjectCommand({ Bucket: second.bucket, Key: 'one' }));
  expect(await Body?.transformToString()).toBe('bytes');
});

test('the credentials are required', async () => {
  const server = await start();
  await expect(put({ ...server, secretAccessKey: 'another' }, 'one')).rejects.toMatchObject({
    name: 'SignatureDoesNotMatch',
  });
  await expect(put({ ...server, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }, 'one')).rejects.toMatchObject({
    name: 'InvalidAccessKeyId',
  });
  const anonymous = await fetch(`${server.endpoint}/${server.bucket}/one`, { method: 'PUT', body: 'bytes' });
  expect(anonymous.status).toBe(403);
});

test('an aborted upload leaves no part', async () => {
  const server = await start({ directory });
  const [client, object] = [clientOf(server), { Bucket: server.bucket, Key: 'one' }];
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
  const uploads = join(directory, server.bucket, '._S3rver_uploads');
  expect(await readdir(uploads)).toEqual([UploadId]);
  await client.send(new AbortMultipartUploadCommand({ ...object, UploadId }));
  expect(await readdir(uploads)).toEqual([]);
});

test('a port that is taken is reported', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(start({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is taken by another process`);
  } finally {
    other.close();
  }
});
