import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { type AddressInfo, type Server, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { type RunningObjectStorage, startObjectStorage } from '@tributary/local-databases';
import { isDependencyUnavailable, readConfig } from '@tributary/service-kit';
import { testCertificate, waitUntil } from '@tributary/test-environment';
import {
  type ObjectStorage,
  type ObjectStorageSettings,
  ObjectMissingError,
  ObjectStorageError,
  objectStorageConfig,
  objectStorageFrom,
  openObjectStorage,
} from '.';

const megabyte = 1024 * 1024;

let folder: string;
let server: RunningObjectStorage;
let storage: ObjectStorage;
const others: Server[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-objects-'));
  server = await startObjectStorage({ directory: join(folder, 'objects') });
  storage = open();
});

afterEach(() => {
  for (const other of others.splice(0)) other.close();
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const open = (settings: Partial<ObjectStorageSettings> = {}) =>
  openObjectStorage({
    bucket: server.bucket,
    endpoint: server.endpoint,
    accessKey: () => server,
    ...settings,
  });

/** Listens on a free port until the end of the test. */
async function listen(other: Server): Promise<number> {
  others.push(other.listen(0, '127.0.0.1'));
  await once(other, 'listening');
  return (other.address() as AddressInfo).port;
}

/** In pieces whose length no part is a multiple of. */
async function* inPieces(bytes: Buffer, pieceLength = 300_007): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += pieceLength) yield bytes.subarray(start, start + pieceLength);
}

async function contentOf(key: string, start: number, end: number, from = storage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of from.read(key, start, end)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The files of the server for a key, and the parts of its unfinished uploads. */
async function leftOf(key: string): Promise<string[]> {
  const names = await readdir(join(folder, 'objects', server.bucket), { recursive: true });
  return names.filter((name) => name.startsWith(key) || /uploads\/./.test(name));
}

async function failureOf(work: Promise<unknown>): Promise<ObjectStorageError> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(ObjectStorageError);
  return error as ObjectStorageError;
}

describe('objects', () => {
  test.each([0, 1, 20 * megabyte])('of %d bytes are read as they were written', async (length) => {
    const bytes = randomBytes(length);
    await storage.write(`object-${length}`, inPieces(bytes));
    expect((await contentOf(`object-${length}`, 0, length)).equals(bytes)).toBe(true);
    expect((await leftOf(`object-${length}`)).length).toBeGreaterThan(0);
  });

  test('are read in ranges', async () => {
    const bytes = randomBytes(6 * megabyte);
    await storage.write('ranges', inPieces(bytes));
    // The server of the tests takes a range of only the first byte for one without an end.
    for (const [start, end] of [
      [0, 2],
      [5, 5],
      [1_000_000, 5_500_000],
      [bytes.length - 1, bytes.length],
    ] as const)
      expect((await contentOf('ranges', start, end)).equals(bytes.subarray(start, end))).toBe(true);
  });

  test('that are shorter than the range are refused', async () => {
    await storage.write('short', inPieces(randomBytes(10)));
    for (const [start, end] of [
      [0, 11],
      [20, 30],
    ] as const)
      expect((await failureOf(contentOf('short', start, end))).isOutage).toBe(false);
  });

  test('that are missing are told apart from failures', async () => {
    await expect(contentOf('missing', 0, 1)).rejects.toThrow(ObjectMissingError);
    const error = await failureOf(contentOf('any', 0, 1, open({ bucket: 'no-bucket' })));
    expect(error).toMatchObject({ reason: 'NoSuchBucket', status: 404, isOutage: false });
  });

  test('are deleted, also twice', async () => {
    await storage.write('deleted', inPieces(randomBytes(100)));
    await storage.delete('deleted');
    await storage.delete('deleted');
    await expect(contentOf('deleted', 0, 1)).rejects.toThrow(ObjectMissingError);
    expect(await leftOf('deleted')).toEqual([]);
  });

  test.each([1, 11])('are not there after a source that fails behind %d MB', async (megabytes) => {
    const failure = new Error('the source failed');
    async function* failing(): AsyncGenerator<Buffer> {
      yield* inPieces(randomBytes(megabytes * megabyte));
      throw failure;
    }
    await expect(storage.write('failed', failing())).rejects.toBe(failure);
    await expect(contentOf('failed', 0, 1)).rejects.toThrow(ObjectMissingError);
    expect(await leftOf('failed')).toEqual([]);
  });

  test('close their source, of which two parts are read at most, when the storage refuses them', async () => {
    const refused = open({ accessKey: () => ({ ...server, secretAccessKey: 'another secret of the test' }) });
    let given = 0;
    let isEnded = false;
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (; ; given += megabyte) yield randomBytes(megabyte);
      } finally {
        isEnded = true;
      }
    }
    await failureOf(refused.write('endless', endless()));
    expect(given).toBeLessThanOrEqual(12 * megabyte);
    await waitUntil(() => isEnded, 'the source is closed');
  });

  test('that are not read to their end release the connection', async () => {
    await storage.write('large', inPieces(randomBytes(20 * megabyte)));
    let open = 0;
    const proxy = createServer((client) => {
      open++;
      const upstream = connect(Number(new URL(server.endpoint).port), '127.0.0.1');
      client.on('error', () => undefined).on('close', () => (open--, upstream.destroy()));
      upstream.on('error', () => client.destroy());
      client.pipe(upstream).pipe(client);
    });
    const proxied = openThrough(await listen(proxy));
    for await (const chunk of proxied.read('large', 0, 20 * megabyte)) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await waitUntil(() => open === 0, 'the connection is closed');
  });
});

const openThrough = (port: number, settings: Partial<ObjectStorageSettings> = {}) =>
  open({ endpoint: `http://127.0.0.1:${port}`, ...settings });

describe('failures', () => {
  test('of the credentials name neither them nor the key', async () => {
    const refused = open({ accessKey: () => ({ ...server, secretAccessKey: 'another secret of the test' }) });
    for (const work of [
      () => refused.write('secret-key', inPieces(randomBytes(10))),
      () => contentOf('secret-key', 0, 1, refused),
      () => refused.delete('secret-key'),
      () => refused.check(),
    ]) {
      const error = await failureOf(work());
      expect(error).toMatchObject({ reason: 'SignatureDoesNotMatch', status: 403, isOutage: true });
      expect(error.message).toBe('the object storage cannot be used: SignatureDoesNotMatch (403)');
      expect(error.cause).toBeUndefined();
      expect(isDependencyUnavailable(error)).toBe(true);
    }
  });

  test('of a server that is down are reported at once', async () => {
    const port = await listen(createServer());
    others.pop()?.close();
    const down = openThrough(port);
    const began = performance.now();
    for (const work of [
      () => down.write('any', inPieces(randomBytes(10))),
      () => contentOf('any', 0, 1, down),
      () => down.delete('any'),
      () => down.check(),
    ])
      expect(await failureOf(work())).toMatchObject({ reason: 'ECONNREFUSED', status: undefined, isOutage: true });
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test('of a server that does not respond are reported after the time limit', async () => {
    const silent = openThrough(await listen(createServer((socket) => socket.on('error', () => undefined))), {
      stallTimeoutMs: 200,
    });
    for (const work of [
      () => silent.write('any', inPieces(randomBytes(10))),
      () => silent.write('any', inPieces(randomBytes(6 * megabyte))),
      () => contentOf('any', 0, 1, silent),
      () => silent.delete('any'),
      () => silent.check(),
    ])
      expect(await failureOf(work())).toMatchObject({ isOutage: true });
  });

  const head = 'HTTP/1.1 206 Partial Content\r\ncontent-length: 1000\r\n\r\n';

  test('of a response that stalls are reported after the time limit', async () => {
    const stalling = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.write(`${head}some bytes`)),
    );
    const storage = openThrough(await listen(stalling), { stallTimeoutMs: 200 });
    expect(await failureOf(contentOf('any', 0, 1000, storage))).toMatchObject({
      reason: 'TimeoutError',
      isOutage: true,
    });
  });

  test('of a response that ends early are reported', async () => {
    const ending = createServer((socket) => socket.once('data', () => socket.end(`${head}some bytes`)));
    const storage = openThrough(await listen(ending));
    expect(await failureOf(contentOf('any', 0, 1000, storage))).toMatchObject({ reason: 'ECONNRESET', isOutage: true });
  });

  test('are not caused by a consumer that pauses', async () => {
    const bytes = randomBytes(20 * megabyte);
    await storage.write('paused', inPieces(bytes));
    const impatient = open({ stallTimeoutMs: 200 });
    let length = 0;
    for await (const chunk of impatient.read('paused', 0, bytes.length)) {
      if (length === 0) {
        const resumesAt = performance.now() + 600;
        await waitUntil(() => performance.now() > resumesAt);
      }
      length += chunk.length;
    }
    expect(length).toBe(bytes.length);
  });
});

test('an endpoint with a certificate of a private authority is verified with it', async () => {
  const { cert, key } = testCertificate('localhost');
  const tls = createTlsServer({ cert, key }, (client) => {
    const upstream = connect(Number(new URL(server.endpoint).port), '127.0.0.1');
    client.on('error', () => undefined).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  const endpoint = `https://localhost:${await listen(tls)}`;
  const storage = open({ endpoint, ca: cert });
  await storage.write('encrypted', inPieces(randomBytes(100)));
  expect(await contentOf('encrypted', 0, 100, storage)).toHaveLength(100);
  await failureOf(open({ endpoint }).check());
});

describe('the configuration', () => {
  const environment = (values: Record<string, string> = {}): Record<string, string> => ({
    SANDBOX_MODE: 'true',
    SECRET_ACTIVATION_SECONDS: '0',
    ...server.variables,
    ...values,
  });
  const configOf = (values?: Record<string, string>) => readConfig(objectStorageConfig, environment(values));

  test('opens the bucket', async () => {
    const log = { warn: jest.fn() };
    const opened = await objectStorageFrom(configOf(), log);
    await opened?.write('configured', inPieces(randomBytes(10)));
    expect(await contentOf('configured', 0, 10, opened)).toHaveLength(10);
    expect(log.warn).not.toHaveBeenCalled();
  });

  test('without a bucket opens nothing', async () => {
    expect(await objectStorageFrom(configOf({ OBJECT_STORAGE_BUCKET: '' }))).toBeUndefined();
  });

  test('with half an access key is refused', async () => {
    await expect(objectStorageFrom(configOf({ OBJECT_STORAGE_ACCESS_KEY_ID: '' }))).rejects.toThrow(
      'OBJECT_STORAGE_ACCESS_KEY_ID and OBJECT_STORAGE_SECRET_ACCESS_KEY belong together',
    );
  });

  test('of a bucket that cannot be read is reported', async () => {
    const log = { warn: jest.fn() };
    await objectStorageFrom(configOf({ OBJECT_STORAGE_BUCKET: 'no-bucket' }), log);
    await waitUntil(() => log.warn.mock.calls.length > 0);
    expect(log.warn).toHaveBeenCalledWith(
      { reason: 'the object storage cannot be used: NoSuchBucket (404)' },
      expect.any(String),
    );
  });

  test('replaces the access key while the process runs', async () => {
    const [idFile, keyFile] = [join(folder, 'id'), join(folder, 'key')];
    await writeFile(idFile, 'OLDACCESSKEY');
    await writeFile(keyFile, 'the old secret of this access key');
    const config = readConfig(objectStorageConfig, {
      ...environment({ OBJECT_STORAGE_ACCESS_KEY_ID_FILE: idFile, OBJECT_STORAGE_SECRET_ACCESS_KEY_FILE: keyFile }),
      OBJECT_STORAGE_ACCESS_KEY_ID: undefined,
      OBJECT_STORAGE_SECRET_ACCESS_KEY: undefined,
    });
    const opened = await objectStorageFrom(config);
    expect(await failureOf(opened!.delete('any'))).toMatchObject({ reason: 'InvalidAccessKeyId' });
    await writeFile(idFile, `OLDACCESSKEY\n${server.accessKeyId}`);
    await writeFile(keyFile, `the old secret of this access key\n${server.secretAccessKey}`);
    for (const secret of [config.OBJECT_STORAGE_ACCESS_KEY_ID, config.OBJECT_STORAGE_SECRET_ACCESS_KEY])
      secret?.refresh?.();
    await opened!.delete('any');
  });

  test('accepts the short identifier of an access key outside of the sandbox, and no plain HTTP', () => {
    const files = { ...environment({ OBJECT_STORAGE_ACCESS_KEY_ID: 'AKIAEXAMPLEOFANID' }), SANDBOX_MODE: 'false' };
    expect(() => readConfig(objectStorageConfig, files)).toThrow(
      /environment:\n {2}OBJECT_STORAGE_ENDPOINT: is not encrypted: set an https:\/\/ URL\n {2}or/,
    );
  });
});
