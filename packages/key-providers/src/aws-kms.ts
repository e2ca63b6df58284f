import { Agent } from 'node:https';
import { UnsealingError } from '@tributary/key-vault';
import {
  type KeyService,
  type KeyServiceOptions,
  type WrappedByService,
  callKeyService,
  keyServiceTimeoutMs,
} from './key-service';

/** The SDK is loaded only where it is used, as it is large. */
const loadSdk = () => import('@aws-sdk/client-kms');
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/**
 * A symmetric key of AWS KMS. The context is its encryption context. Credentials and region come from where the SDK
 * looks for them; the region of an ARN takes precedence.
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html
 */
export class AwsKms implements KeyService {
  readonly provider = 'aws-kms';
  readonly key: string;
  readonly #sdk: Sdk;
  readonly #client: InstanceType<Sdk['KMSClient']>;

  private constructor(sdk: Sdk, { key, endpoint, ca }: KeyServiceOptions) {
    this.key = key;
    this.#sdk = sdk;
    const region = /^arn:[^:]+:kms:([^:]+):/.exec(key)?.[1];
    this.#client = new sdk.KMSClient({
      ...(region === undefined ? {} : { region }),
      ...(endpoint === undefined ? {} : { endpoint }),
      maxAttempts: 2,
      requestHandler: {
        requestTimeout: keyServiceTimeoutMs,
        connectionTimeout: keyServiceTimeoutMs,
        throwOnRequestTimeout: true,
        ...(ca === undefined ? {} : { httpsAgent: new Agent({ ca }) }),
      },
    });
  }

  static async open(options: KeyServiceOptions): Promise<AwsKms> {
    return new AwsKms(await loadSdk(), options);
  }

  wrap(plain: Buffer, context: string): Promise<WrappedByService> {
    return callKeyService(this, async () => {
      const { CiphertextBlob } = await this.#client.send(
        new this.#sdk.EncryptCommand({ KeyId: this.key, Plaintext: plain, EncryptionContext: { tributary: context } }),
      );
      return { wrapped: bytesOf(CiphertextBlob), version: await this.#version() };
    });
  }

  unwrap({ wrapped }: WrappedByService, context: string): Promise<Buffer> {
    return callKeyService(this, async () => {
      try {
        const { Plaintext } = await this.#client.send(
          new this.#sdk.DecryptCommand({
            KeyId: this.key,
            CiphertextBlob: wrapped,
            EncryptionContext: { tributary: context },
          }),
        );
        return bytesOf(Plaintext);
      } catch (error) {
        if (error instanceof this.#sdk.InvalidCiphertextException || error instanceof this.#sdk.IncorrectKeyException)
          throw new UnsealingError(`AWS KMS does not decrypt it with the key ${this.key}`);
        throw error;
      }
    });
  }

  currentVersion(): Promise<string> {
    return callKeyService(this, () => this.#version());
  }

  /** The key that an alias names, and its key material, which a rotation replaces. */
  async #version(): Promise<string> {
    const { KeyMetadata } = await this.#client.send(new this.#sdk.DescribeKeyCommand({ KeyId: this.key }));
    if (!KeyMetadata?.KeyId) throw new Error('the response names no key');
    const { KeyId, CurrentKeyMaterialId } = KeyMetadata;
    return CurrentKeyMaterialId === undefined ? KeyId : `${KeyId}/${CurrentKeyMaterialId}`;
  }
}

function bytesOf(bytes: Uint8Array | undefined): Buffer {
  if (!bytes) throw new Error('the response contains no bytes');
  return Buffer.from(bytes);
}
