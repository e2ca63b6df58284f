import { createHash, timingSafeEqual } from 'node:crypto';
import { UnsealingError } from '@tributary/key-vault';
import {
  type KeyService,
  type KeyServiceOptions,
  type WrappedByService,
  callKeyService,
  keyServiceTimeoutMs,
} from './key-service';

/** The SDK is loaded only where it is used, as it is large. */
const loadIdentity = () => import('@azure/identity');
const loadKeys = () => import('@azure/keyvault-keys');
type Identity = Awaited<ReturnType<typeof loadIdentity>>;
type Keys = Awaited<ReturnType<typeof loadKeys>>;

const algorithm = 'RSA-OAEP-256';
const digestBytes = 32;

/**
 * An RSA key of Azure Key Vault, by its URL without version. RSA-OAEP has no associated data, so the digest of the
 * context is wrapped together with the key, and compared. Credentials come from where the SDK looks for them.
 *
 * The public key wraps: whoever knows it can make wrapped bytes, but not read any. The table of wrapping keys must be
 * writable by its service alone.
 * @see https://learn.microsoft.com/rest/api/keyvault/keys/wrap-key/wrap-key
 */
export class AzureKeyVault implements KeyService {
  readonly provider = 'azure-key-vault';
  readonly key: string;
  readonly #name: string;
  readonly #vault: string;
  readonly #keys: Keys;
  readonly #credential: InstanceType<Identity['DefaultAzureCredential']>;
  readonly #clientOptions: object;

  private constructor(keys: Keys, identity: Identity, { key, endpoint, ca }: KeyServiceOptions) {
    this.key = key;
    this.#keys = keys;
    const { name, vaultUrl } = keys.parseKeyVaultKeyIdentifier(key);
    this.#name = name;
    this.#vault = endpoint ?? vaultUrl;
    this.#clientOptions = {
      retryOptions: { maxRetries: 1 },
      ...(ca === undefined ? {} : { tlsOptions: { ca } }),
      // Another address than that of the key is chosen by the operator.
      disableChallengeResourceVerification: endpoint !== undefined,
    };
    this.#credential = new identity.DefaultAzureCredential();
  }

  /** @throws Error when the key is not the URL of a key */
  static async open(options: KeyServiceOptions): Promise<AzureKeyVault> {
    return new AzureKeyVault(await loadKeys(), await loadIdentity(), options);
  }

  wrap(plain: Buffer, context: string): Promise<WrappedByService> {
    return callKeyService(this, async () => {
      const client = this.#cryptography(await this.#latest());
      const { result, keyID } = await client.wrapKey(algorithm, Buffer.concat([digestOf(context), plain]), timeout());
      return { wrapped: Buffer.from(result), version: this.#versionOf(keyID) };
    });
  }

  unwrap({ wrapped, version }: WrappedByService, context: string): Promise<Buffer> {
    return callKeyService(this, async () => {
      const { result } = await this.#cryptography(version)
        .unwrapKey(algorithm, wrapped, timeout())
        .catch((error: unknown) => {
          if ((error as { statusCode?: unknown }).statusCode === 400)
            throw new UnsealingError(`Azure Key Vault does not unwrap it with the key ${this.key}`);
          throw error;
        });
      const unwrapped = Buffer.from(result);
      const digest = unwrapped.subarray(0, digestBytes);
      if (digest.length !== digestBytes || !timingSafeEqual(digest, digestOf(context))) throw new UnsealingError();
      return unwrapped.subarray(digestBytes);
    });
  }

  currentVersion(): Promise<string> {
    return callKeyService(this, () => this.#latest());
  }

  async #latest(): Promise<string> {
    const client = new this.#keys.KeyClient(this.#vault, this.#credential, this.#clientOptions);
    const { properties } = await client.getKey(this.#name, timeout());
    return this.#versionOf(properties.id);
  }

  #cryptography(version: string): InstanceType<Keys['CryptographyClient']> {
    return new this.#keys.CryptographyClient(
      `${this.#vault.replace(/\/$/, '')}/keys/${this.#name}/${version}`,
      this.#credential,
      this.#clientOptions,
    );
  }

  #versionOf(keyId: string | undefined): string {
    const version = keyId === undefined ? undefined : this.#keys.parseKeyVaultKeyIdentifier(keyId).version;
    if (version === undefined) throw new Error('the response names no version of the key');
    return version;
  }
}

function timeout(): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(keyServiceTimeoutMs) };
}

function digestOf(context: string): Buffer {
  return createHash('sha256').update(context, 'utf8').digest();
}
