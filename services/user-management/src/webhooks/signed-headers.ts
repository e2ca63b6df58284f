import { createHmac } from 'node:crypto';

export interface SignedHeaders extends Record<string, string> {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * The headers of Standard Webhooks: the id of the message, the time in epoch seconds, and for each key a `v1` signature
 * (HMAC-SHA256) over both and the body.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedHeaders(messageId: string, sentAt: Date, body: string, keys: Buffer[]): SignedHeaders {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
