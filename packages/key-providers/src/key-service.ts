import { UnsealingError } from '@tributary/key-vault';
import type { KeyServiceName } from './config';

/** A wrapping key as it is stored: wrapped by a key service. */
export interface WrappedByService {
  readonly wrapped: Buffer;
  /** The version of the key at the service, as the service names it. */
  readonly version: string;
}

/**
 * One key of a key management service, which wraps the 32 bytes of wrapping keys. It is called when a process starts
 * and when keys are rotated, not for each data key.
 */
export interface KeyService {
  readonly provider: KeyServiceName;
  /** Identifies the key at the service; not secret. */
  readonly key: string;
  /** @param context is bound to the result: unwrapping needs the same. @throws KeyServiceError */
  wrap(plain: Buffer, context: string): Promise<WrappedByService>;
  /** @throws UnsealingError when the bytes were not wrapped by this key with this context; KeyServiceError */
  unwrap(wrapped: WrappedByService, context: string): Promise<Buffer>;
  /** The version that wraps now. Without a change at the service it stays the same. @throws KeyServiceError */
  currentVersion(): Promise<string>;
}

/** How a key service is reached. Credentials come from where its SDK looks for them. */
export interface KeyServiceOptions {
  readonly key: string;
  readonly endpoint: string | undefined;
  /** Certificates in PEM. */
  readonly ca: string | undefined;
}

const maxReasonLength = 300;

/** A key service does not respond, or refuses the caller. */
export class KeyServiceError extends Error {
  override readonly name = 'KeyServiceError';
  /** service-kit responds with 503 to it. */
  readonly code = 'KEY_SERVICE_UNAVAILABLE';

  constructor(service: Pick<KeyService, 'provider' | 'key'>, cause: unknown) {
    super(`the key service ${service.provider} cannot be used with the key ${service.key}: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/**
 * Calls a key service.
 * @param causeOf returns the cause to report for an error of the SDK
 * @throws UnsealingError of the call; KeyServiceError for every other error
 */
export async function callKeyService<T>(
  service: Pick<KeyService, 'provider' | 'key'>,
  call: () => Promise<T>,
  causeOf: (error: unknown) => unknown = (error) => error,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof UnsealingError ? error : new KeyServiceError(service, causeOf(error));
  }
}

/** How long one request to a key service may take, in milliseconds. */
export const keyServiceTimeoutMs = 5000;

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause).slice(0, maxReasonLength);
  const { code } = cause as { code?: unknown };
  const reason = cause.message || (typeof code === 'string' ? code : cause.name);
  return reason.replaceAll(/\s+/g, ' ').slice(0, maxReasonLength);
}
