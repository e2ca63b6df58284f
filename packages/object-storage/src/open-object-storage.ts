import { Readable } from 'node:stream';
import { ObjectMissingError, ObjectStorageError, storageError } from './errors';
import type { ObjectStorage } from './object-storage';

/** The SDK is loaded with the first request, as it is large: a command that opens the storage may not use it. */
const loadSdk = () => import('@aws-sdk/client-s3');
type Sdk = Awaited<ReturnType<typeof loadSdk>>;
type S3Client = InstanceType<Sdk['S3Client']>;

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface ObjectStorageSettings {
  readonly bucket: string;
  /** AWS by default. */
  readonly endpoint?: string | undefined;
  /** By default the one that the SDK finds, or us-east-1 with an endpoint. */
  readonly region?: string | undefined;
  /** The access key of a request; by default the SDK looks for credentials. */
  readonly accessKey?: (() => AccessKey) | undefined;
  /** The certificates, in PEM, of the authorities of the endpoint. */
  readonly ca?: string | undefined;
  /** How long the storage may neither send nor receive anything, in milliseconds. */
  readonly stallTimeoutMs?: number | undefined;
}

const defaultStallTimeoutMs = 30_000;
const connectionTimeoutMs = 5000;

/** An upload holds one part. S3 takes up to 10,000 of them. */
const partBytes = 5 * 1024 * 1024;

/** Credentials that expire sooner than in five minutes are asked for again with each request. */
const credentialsLifeMs = 60_000;

/** What servers of other vendors take for the region. */
const regionOfEndpoints = 'us-east-1';

/** The key of no object. */
const absentKey = 'check';

export interface CheckedObjectStorage extends ObjectStorage {
  /** Asks for an object that does not exist. @throws ObjectStorageError when the bucket cannot be read */
  check(): Promise<void>;
}

/** Opens a bucket. Makes no request yet. */
export function openObjectStorage(settings: ObjectStorageSettings): CheckedObjectStorage {
  return new S3Bucket(settings);
}

interface Clients {
  readonly sdk: Sdk;
  readonly client: S3Client;
  /** Has no limit for an idle connection: a consumer may read slower than the storage sends. */
  readonly readingClient: S3Client;
}

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html */
class S3Bucket implements CheckedObjectStorage {
  readonly #settings: ObjectStorageSettings;
  readonly #stallTimeoutMs: number;
  #clients: Promise<Clients> | undefined;

  constructor(settings: ObjectStorageSettings) {
    this.#settings = settings;
    this.#stallTimeoutMs = settings.stallTimeoutMs ?? defaultStallTimeoutMs;
  }

  async write(key: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    const parts = partsOf(bytes);
    try {
      const { value: first } = await parts.next();
      if (first && first.length < partBytes) await this.#put(key, first);
      else await this.#writeInParts(key, first, parts);
    } finally {
      await parts.return(undefined);
    }
  }

  async #put(key: string, bytes: Buffer): Promise<void> {
    const { sdk, client } = await this.#sdkAndClients();
    await this.#orDeleted(key, client.send(new sdk.PutObjectCommand({ ...this.#object(key), Body: bytes })));
  }

  async #writeInParts(
    key: string,
    first: Buffer | undefined,
    others: AsyncGenerator<Buffer, undefined>,
  ): Promise<void> {
    const { sdk, client } = await this.#sdkAndClients();
    const object = this.#object(key);
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(object)).catch(fail);
    const upload = { ...object, UploadId };
    try {
      const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
      for (let part = first; part; part = (await others.next()).value) {
        const PartNumber = Parts.length + 1;
        const { ETag } = await client
          .send(new sdk.UploadPartCommand({ ...upload, PartNumber, Body: part }))
          .catch(fail);
        Parts.push({ ETag, PartNumber });
      }
      const completion = new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
      await this.#orDeleted(key, client.send(completion));
    } catch (error) {
      const abort = new sdk.AbortMultipartUploadCommand(upload);
      await client.send(abort, { abortSignal: AbortSignal.timeout(connectionTimeoutMs) }).catch(() => undefined);
      throw error;
    }
  }

  async *read(key: string, start: number, end: number): AsyncGenerator<Buffer> {
    // HTTP has no range without bytes.
    if (start === end) return;
    const body = await this.#open(key, start, end);
    const stalled = (): unknown => body.destroy(new ObjectStorageError('TimeoutError'));
    let timer = setTimeout(stalled, this.#stallTimeoutMs);
    try {
      for await (const chunk of body) {
        clearTimeout(timer);
        yield chunk as Buffer;
        timer = setTimeout(stalled, this.#stallTimeoutMs);
      }
    } catch (error) {
      throw storageError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async delete(key: string): Promise<void> {
    await this.#delete(key).catch(fail);
  }

  async check(): Promise<void> {
    try {
      (await this.#open(absentKey, 0, 1)).destroy();
    } catch (error) {
      if (!(error instanceof ObjectMissingError)) throw error;
    }
  }

  /** A response of the length of the range. Node.js reports an error when it ends early. */
  async #open(key: string, start: number, end: number): Promise<Readable> {
    const { sdk, readingClient } = await this.#sdkAndClients();
    try {
      const { Body: body, ContentLength: length } = await readingClient.send(
        new sdk.GetObjectCommand({ ...this.#object(key), Range: `bytes=${start}-${end - 1}` }),
      );
      if (body instanceof Readable && length === end - start) return body;
      if (body instanceof Readable) body.destroy();
      throw new ObjectStorageError('UnexpectedLength', 200);
    } catch (error) {
      throw storageError(error);
    }
  }

  /** The response; after a failure the storage may have stored the object, and only its response was lost. */
  async #orDeleted<T>(key: string, response: Promise<T>): Promise<T> {
    try {
      return await response;
    } catch (error) {
      await this.#delete(key, AbortSignal.timeout(connectionTimeoutMs)).catch(() => undefined);
      return fail(error);
    }
  }

  async #delete(key: string, abortSignal?: AbortSignal): Promise<void> {
    const { sdk, client } = await this.#sdkAndClients();
    await client.send(new sdk.DeleteObjectCommand(this.#object(key)), abortSignal && { abortSignal });
  }

  #object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#settings.bucket, Key: key };
  }

  #sdkAndClients(): Promise<Clients> {
    const stallTimeoutMs = this.#stallTimeoutMs;
    return (this.#clients ??= loadSdk().then((sdk) => ({
      sdk,
      client: openClient(sdk, this.#settings, { socketTimeout: stallTimeoutMs }),
      readingClient: openClient(sdk, this.#settings, { requestTimeout: stallTimeoutMs, throwOnRequestTimeout: true }),
    })));
  }
}

function openClient(
  { S3Client }: Sdk,
  { endpoint, region, accessKey, ca }: ObjectStorageSettings,
  limits: { socketTimeout: number } | { requestTimeout: number; throwOnRequestTimeout: true },
): S3Client {
  const usedRegion = region ?? (endpoint === undefined ? undefined : regionOfEndpoints);
  return new S3Client({
    ...(usedRegion === undefined ? {} : { region: usedRegion }),
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(accessKey && {
      credentials: () => Promise.resolve({ ...accessKey(), expiration: new Date(Date.now() + credentialsLifeMs) }),
    }),
    // Servers of other vendors do not know the checksums of the SDK. The content is authenticated where it is sealed.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      ...limits,
      // Those who read slowly hold a connection each, and must not keep others away.
      httpAgent: { maxSockets: Infinity },
      httpsAgent: { maxSockets: Infinity, ...(ca === undefined ? {} : { ca }) },
    },
  });
}

function fail(error: unknown): never {
  throw storageError(error);
}

/**
 * Bytes in parts of the same length, of which the last may be shorter. All have the same memory: a part is sent before
 * the next one is requested. What the SDK offers for this allocates each part anew, which adds up before it is freed.
 */
async function* partsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  const part = Buffer.allocUnsafe(partBytes);
  let filled = 0;
  for await (const piece of bytes)
    for (let taken = 0; taken < piece.length;) {
      if (filled === partBytes) {
        yield part;
        filled = 0;
      }
      const copied = piece.copy(part, filled, taken);
      taken += copied;
      filled += copied;
    }
  yield part.subarray(0, filled);
  return undefined;
}
