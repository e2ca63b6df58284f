import { createHmac } from 'node:crypto';
import { TributaryError } from '../http/errors.ts';
import { WebhookVerificationError, verifyWebhook } from './verify-webhook.ts';

const secret = `whsec_${Buffer.from('a key of 32 bytes for the tests!').toString('base64')}`;
const otherSecret = `whsec_${Buffer.from('another key of 32 bytes in tests').toString('base64')}`;
const now = Date.parse('2026-02-03T04:05:06Z');
const seconds = now / 1000;
const body = JSON.stringify({
  type: 'webhook.test',
  timestamp: '2026-02-03T04:05:06Z',
  data: { endpoint_id: '7c0b2f2e-95cc-4d4b-8c3e-6a8f5ddc1fb0', note: 'Zoë' },
});

function sign(text: string, key = secret, timestamp = seconds): string {
  const hmac = createHmac('sha256', Buffer.from(key.slice(6), 'base64'));
  return `v1,${hmac.update(`msg_1.${timestamp}.${text}`).digest('base64')}`;
}
function headers(more: Record<string, string> = {}): Record<string, string> {
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(seconds), 'webhook-signature': sign(body), ...more };
}

describe('verification of a webhook', () => {
  it.each([
    ['a text and headers of Node', body, headers()],
    ['bytes and headers of fetch', Buffer.from(body), new Headers(headers())],
    ['several signatures', body, headers({ 'webhook-signature': `v1a,xyz v1,AAAA ${sign(body)}` })],
  ])('accepts %s', async (_case, received, given) => {
    const event = await verifyWebhook(received, given, secret, { now });
    expect(event).toEqual(JSON.parse(body));
    if (event.type === 'webhook.test') expect(event.data.endpoint_id).toMatch(/^7c0b/);
  });

  it('accepts a signature by any of several secrets', async () => {
    expect((await verifyWebhook(body, headers(), [otherSecret, secret], { now })).type).toBe('webhook.test');
  });

  it.each([
    ['another body', `${body} `, headers()],
    ['another id', body, headers({ 'webhook-id': 'msg_2' })],
    ['a signature by another secret', body, headers({ 'webhook-signature': sign(body, otherSecret) })],
    ['a signature that is not base64', body, headers({ 'webhook-signature': 'v1,***' })],
    ['a signature of another version', body, headers({ 'webhook-signature': sign(body).replace('v1,', 'v2,') })],
    ['no signature', body, headers({ 'webhook-signature': '' })],
    ['no timestamp', body, headers({ 'webhook-timestamp': 'NaN' })],
    [
      'an old timestamp',
      body,
      headers({ 'webhook-timestamp': String(seconds - 301), 'webhook-signature': sign(body, secret, seconds - 301) }),
    ],
    [
      'a timestamp in the future',
      body,
      headers({ 'webhook-timestamp': String(seconds + 301), 'webhook-signature': sign(body, secret, seconds + 301) }),
    ],
  ])('refuses %s', async (_case, received, given) => {
    await expect(verifyWebhook(received, given, secret, { now })).rejects.toThrow(WebhookVerificationError);
  });

  // The caller has made a mistake. A request that is not genuine is another error, to be answered with 400.
  const refusal = async (received: unknown, secrets: unknown): Promise<unknown> => {
    const error: unknown = await verifyWebhook(received as string, headers(), secrets as string, { now }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(TributaryError);
    expect(error).not.toBeInstanceOf(WebhookVerificationError);
    return (error as Error).message;
  };

  it.each([
    ['undefined', undefined],
    ['empty', ''],
    // Everybody could sign by it.
    ['empty behind its prefix', 'whsec_'],
    ['not base64', 'whsec_***'],
    ['undefined beside another', [secret, undefined]],
    ['missing in an empty list', []],
  ])('says what is wrong with a secret that is %s', async (_case, secrets) => {
    expect(await refusal(body, secrets)).toMatch(/^the secret is missing or malformed: pass .* begins with whsec_/);
  });

  it.each([[JSON.parse(body)], [undefined], [null]])('asks for the raw body instead of %j', async (received) => {
    expect(await refusal(received, secret)).toMatch(/: pass the raw body .* before a framework parses its JSON$/);
  });
});
