import { Agent } from 'node:https';
import { UnsealingError } from '@tributary/key-vault';
import { crc32c } from './crc32c';
import {
  type KeyService,
  type KeyServiceOptions,
  type WrappedByService,
  callKeyService,
  keyServiceTimeoutMs,
} from './key-service';

/** The SDK is loaded only where it is used, as it is large. */
const loadSdk = () => import('@google-cloud/kms');
type Sdk = Awaited<ReturnType<typeof loadSdk>>;
type Client = InstanceType<Sdk['KeyManagementServiceClient']>;

/**
 * `INVALID_ARGUMENT` as a gRPC code and as an HTTP status, which the SDK reports with different credentials: the
 * ciphertext or the associated data is not that of the key.
 */
const invalidArgument: readonly unknown[] = [3, 400];
const callOptions = { timeout: keyServiceTimeoutMs };

/**
 * A symmetric key of Google Cloud KMS, by its resource name
 * `projects/P/locations/L/keyRings/R/cryptoKeys/K`. The context is its associated data. Checksums in both directions
 * detect altered bytes. Credentials are the application default credentials.
 * @see https://cloud.google.com/kms/docs/reference/rest/v1/projects.locations.keyRings.cryptoKeys/encrypt
 */
export class GoogleKms implements KeyService {
  readonly provider = 'google-kms';
  readonly key: string;
  readonly #client: Client;

  private constructor(sdk: Sdk, { key, endpoint, ca }: KeyServiceOptions) {
    this.key = key;
    // REST in place of gRPC: two calls at the start need no lasting connection.
    this.#client = new sdk.KeyManagementServiceClient({ fallback: true, ...addressOf(endpoint) });
    if (ca !== undefined && !endpoint?.startsWith('http:'))
      useAgent(this.#client.auth, new Agent({ ca, keepAlive: true }));
  }

  static async open(options: KeyServiceOptions): Promise<GoogleKms> {
    return new GoogleKms(await loadSdk(), options);
  }

  wrap(plain: Buffer, context: string): Promise<WrappedByService> {
    const associatedData = Buffer.from(context, 'utf8');
    return this.#call(async () => {
      const [response] = await this.#client.encrypt(
        {
          name: this.key,
          plaintext: plain,
          plaintextCrc32c: { value: crc32c(plain) },
          additionalAuthenticatedData: associatedData,
          additionalAuthenticatedDataCrc32c: { value: crc32c(associatedData) },
        },
        callOptions,
      );
      if (!response.verifiedPlaintextCrc32c || !response.verifiedAdditionalAuthenticatedDataCrc32c)
        throw new Error('the request was altered on its way');
      return {
        wrapped: verified(response.ciphertext, response.ciphertextCrc32c?.value),
        version: versionOf(response.name),
      };
    });
  }

  unwrap({ wrapped }: WrappedByService, context: string): Promise<Buffer> {
    const associatedData = Buffer.from(context, 'utf8');
    return this.#call(async () => {
      try {
        const [response] = await this.#client.decrypt(
          {
            name: this.key,
            ciphertext: wrapped,
            ciphertextCrc32c: { value: crc32c(wrapped) },
            additionalAuthenticatedData: associatedData,
            additionalAuthenticatedDataCrc32c: { value: crc32c(associatedData) },
          },
          callOptions,
        );
        return verified(response.plaintext, response.plaintextCrc32c?.value);
      } catch (error) {
        if (invalidArgument.includes((error as { code?: unknown }).code))
          throw new UnsealingError(`Google Cloud KMS does not decrypt it with the key ${this.key}`);
        throw error;
      }
    });
  }

  currentVersion(): Promise<string> {
    return this.#call(async () => {
      const [key] = await this.#client.getCryptoKey({ name: this.key }, callOptions);
      return versionOf(key.primary?.name);
    });
  }

  #call<T>(call: () => Promise<T>): Promise<T> {
    return callKeyService(this, call, reasonOf);
  }
}

/**
 * The SDK sends each request with an agent of its own, which no option replaces. It requests tokens in another way, and
 * verifies the servers of tokens with the authorities of Node.js.
 */
function useAgent(auth: Client['auth'], agent: Agent): void {
  const fetch = auth.fetch.bind(auth);
  auth.fetch = (...request) => {
    const [url, init] = request as [string, RequestInit];
    return fetch(url, Object.assign({}, init, { agent }));
  };
}

function addressOf(endpoint: string | undefined): { apiEndpoint?: string; port?: number; protocol?: string } {
  if (endpoint === undefined) return {};
  const { hostname, port, protocol } = new URL(endpoint);
  return {
    apiEndpoint: hostname,
    protocol: protocol.replace(':', ''),
    ...(port === '' ? {} : { port: Number(port) }),
  };
}

/** The message in the body of a response: that of the SDK's error can be the whole body. */
function reasonOf(error: unknown): unknown {
  const { message } = (error as { error?: { message?: unknown } }).error ?? {};
  return typeof message === 'string' ? new Error(message, { cause: error }) : error;
}

/** The bytes of a response, which are base64 in REST. @throws Error when they were altered */
function verified(bytes: Uint8Array | string | null | undefined, checksum: unknown): Buffer {
  if (bytes === null || bytes === undefined) throw new Error('the response contains no bytes');
  const buffer = typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : Buffer.from(bytes);
  if (crc32c(buffer) !== Number(checksum)) throw new Error('the response was altered on its way');
  return buffer;
}

/** The number of the version, the last part of its resource name. */
function versionOf(name: string | null | undefined): string {
  if (!name) throw new Error('the key has no primary version');
  return name.slice(name.lastIndexOf('/') + 1);
}
