import type { WebhookEventData } from '../api-types.ts';
import { TributaryError } from '../http/errors.ts';

/**
 * An event, with the type of its `data` selected by `type`. Later versions can send other types: ignore unknown ones.
 */
export type WebhookEvent = {
  [Type in keyof WebhookEventData]: {
    type: Type;
    /** When the event happened, which can be long before it is sent. */
    timestamp: string;
    /** The mode of the client application. */
    mode: 'test' | 'live';
    data: WebhookEventData[Type];
  };
}[keyof WebhookEventData];

/** The request is not a webhook that was signed with the secret, or is too old. */
export class WebhookVerificationError extends TributaryError {
  override name = 'WebhookVerificationError';
}

export interface VerifyWebhookOptions {
  /** The largest difference between the time of the signature and now, in seconds; 300 by default. */
  toleranceSeconds?: number;
  /** Now, in milliseconds since the Unix epoch. */
  now?: number;
}

/** Headers of the `fetch` API, or of Node. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies a webhook according to Standard Webhooks (https://www.standardwebhooks.com), and returns its event. An event
 * can be delivered more than once, with the same `webhook-id` each time.
 * @param body as it was received: parsed and serialized again, it has another signature
 * @param secrets `whsec_…`; several during a rotation
 * @throws WebhookVerificationError, and another TributaryError when the body was parsed, or a secret is missing or
 *   malformed
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const text = rawText(body);
  const keys = [secrets].flat().map(keyOf);
  if (keys.length === 0) throw new TributaryError(secretRule);
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature')
    .split(' ')
    .flatMap((signature) => (signature.startsWith('v1,') ? (decodeBase64(signature.slice(3)) ?? []) : []));
  const age = now / 1000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(age) > toleranceSeconds)
    throw new WebhookVerificationError('webhook-timestamp is not within the tolerance');
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  if (!(await isSigned(content, signatures, keys)))
    throw new WebhookVerificationError('no signature of the webhook matches');
  try {
    return JSON.parse(text) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('the webhook is not JSON');
  }
}

/** Whether one of the signatures was made with one of the keys. Web Crypto compares in constant time. */
async function isSigned(
  content: Uint8Array<ArrayBuffer>,
  signatures: Uint8Array<ArrayBuffer>[],
  keys: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, content)) return true;
  }
  return false;
}

const secretRule =
  'the secret is missing or malformed: pass that of the webhook endpoint, which begins with whsec_, followed by base64';

/** A secret from an unset environment variable is undefined, whatever the types say. */
function keyOf(secret: unknown): Uint8Array<ArrayBuffer> {
  const bytes = typeof secret === 'string' ? decodeBase64(secret.replace(/^whsec_/, '')) : undefined;
  if (!bytes || bytes.length === 0) throw new TributaryError(secretRule);
  return bytes;
}

/** Frameworks such as Express parse JSON before a handler sees the body. */
function rawText(body: unknown): string {
  if (typeof body === 'string') return body;
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return new TextDecoder().decode(body);
  throw new TributaryError(
    'the body is neither text nor bytes: pass the raw body as it was received, before a framework parses its JSON',
  );
}

function header(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`the header ${name} is missing`);
  return value;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
