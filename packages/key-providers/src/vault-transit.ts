import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { UnsealingError } from '@tributary/key-vault';
import { z } from 'zod';
import type { KeyEncryptionKeyConfig } from './config';
import { type KeyService, KeyServiceError, type KeyServiceOptions, keyServiceTimeoutMs } from './key-service';

export type VaultOptions = KeyServiceOptions &
  Pick<
    KeyEncryptionKeyConfig,
    'VAULT_TRANSIT_MOUNT' | 'VAULT_NAMESPACE' | 'VAULT_TOKEN_FILE' | 'VAULT_KUBERNETES_ROLE'
  >;

const provider = 'vault-transit';
const serviceAccountToken = '/var/run/secrets/kubernetes.io/serviceaccount/token';

const encrypted = z.object({ data: z.object({ ciphertext: z.string() }) });
const decrypted = z.object({ data: z.object({ plaintext: z.string() }) });
const keyInfo = z.object({ data: z.object({ latest_version: z.int() }) });
const loggedIn = z.object({ auth: z.object({ client_token: z.string() }) });
const failed = z.object({ errors: z.array(z.string()) });

/** Vault answered with a status that is not 200. */
class VaultRefusal extends Error {
  constructor(
    readonly status: number,
    body: string,
  ) {
    const parsed = failed.safeParse(parseJson(body));
    super(
      `status ${status}${parsed.success && parsed.data.errors.length > 0 ? `, ${parsed.data.errors.join('; ')}` : ''}`,
    );
  }
}

/**
 * A key of the transit engine of HashiCorp Vault or OpenBao, of a type that takes associated data (aes256-gcm96).
 * @see https://developer.hashicorp.com/vault/api-docs/secret/transit
 */
export class VaultTransit implements KeyService {
  readonly provider = provider;
  readonly key: string;
  readonly #options: VaultOptions;
  readonly #address: string;

  /** @throws Error when the configuration is incomplete */
  constructor(options: VaultOptions) {
    if (options.endpoint === undefined)
      throw new Error('KEY_PROVIDER=vault-transit needs KEY_PROVIDER_ENDPOINT, the address of Vault');
    if (options.VAULT_TOKEN_FILE === undefined && options.VAULT_KUBERNETES_ROLE === undefined)
      throw new Error('KEY_PROVIDER=vault-transit needs VAULT_TOKEN_FILE or VAULT_KUBERNETES_ROLE');
    this.key = options.key;
    this.#options = options;
    this.#address = options.endpoint;
  }

  async wrap(plain: Buffer, context: string): Promise<{ wrapped: Buffer; version: string }> {
    const body = { plaintext: plain.toString('base64'), associated_data: toBase64(context) };
    const { data } = await this.#call(encrypted, 'POST', `encrypt/${this.#name}`, body);
    return { wrapped: Buffer.from(data.ciphertext, 'utf8'), version: versionOf(data.ciphertext) };
  }

  async unwrap({ wrapped }: { wrapped: Buffer }, context: string): Promise<Buffer> {
    const body = { ciphertext: wrapped.toString('utf8'), associated_data: toBase64(context) };
    try {
      const { data } = await this.#call(decrypted, 'POST', `decrypt/${this.#name}`, body);
      return Buffer.from(data.plaintext, 'base64');
    } catch (error) {
      if (error instanceof KeyServiceError && error.cause instanceof VaultRefusal && error.cause.status === 400)
        throw new UnsealingError(`Vault does not decrypt it with the key ${this.key}`);
      throw error;
    }
  }

  async currentVersion(): Promise<string> {
    const { data } = await this.#call(keyInfo, 'GET', `keys/${this.#name}`);
    return `v${data.latest_version}`;
  }

  get #name(): string {
    return encodeURIComponent(this.key);
  }

  async #call<T>(schema: z.ZodType<T>, method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    try {
      const token = await this.#token();
      return schema.parse(await this.#request(method, `${this.#options.VAULT_TRANSIT_MOUNT}/${path}`, body, token));
    } catch (error) {
      throw new KeyServiceError(
        this,
        error instanceof z.ZodError ? new Error('the response is not that of Vault') : error,
      );
    }
  }

  /** A token is read or requested for each call, as calls are rare and tokens expire. */
  async #token(): Promise<string> {
    const { VAULT_TOKEN_FILE, VAULT_KUBERNETES_ROLE: role } = this.#options;
    if (VAULT_TOKEN_FILE !== undefined) return (await readFile(VAULT_TOKEN_FILE, 'utf8')).trim();
    const jwt = (await readFile(serviceAccountToken, 'utf8')).trim();
    return loggedIn.parse(await this.#request('POST', 'auth/kubernetes/login', { role, jwt })).auth.client_token;
  }

  async #request(method: 'GET' | 'POST', path: string, body?: object, token?: string): Promise<unknown> {
    const { VAULT_NAMESPACE: namespace, ca } = this.#options;
    const url = new URL(`/v1/${path}`, this.#address);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const { status, content } = await new Promise<{ status: number; content: string }>((resolve, reject) => {
      const request = send(url, {
        method,
        signal: AbortSignal.timeout(keyServiceTimeoutMs),
        ...(ca === undefined ? {} : { ca }),
        headers: {
          'Content-Type': 'application/json',
          'X-Vault-Request': 'true',
          ...(token === undefined ? {} : { 'X-Vault-Token': token }),
          ...(namespace === undefined ? {} : { 'X-Vault-Namespace': namespace }),
        },
      });
      request.once('error', reject);
      request.once('response', (response) => {
        text(response).then((content) => resolve({ status: response.statusCode ?? 0, content }), reject);
      });
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
    if (status !== 200) throw new VaultRefusal(status, content);
    return parseJson(content);
  }
}

/** `vault:v3:…` names the version of the key. */
function versionOf(ciphertext: string): string {
  return ciphertext.split(':')[1] ?? '';
}

function toBase64(value: string): string {
  return Buffer.from(value, 'utf8').toString('base64');
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
