import { randomBytes } from 'node:crypto';
import express from 'express';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { OutboundHttp } from '../outbound/outbound-http';
import { listen } from '../../test/http-server';
import { deliveryRetryDelayMs } from './delivery-queue';
import { signedHeaders } from './signed-headers';

describe('signed headers', () => {
  it('are accepted by the reference implementation with each of the secrets', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.uuid(), (text, id) => {
        const keys = [randomBytes(32), randomBytes(32)];
        const body = JSON.stringify({ text });
        const headers = signedHeaders(`msg_${id}`, new Date(), body, keys);
        for (const key of keys)
          expect(new Webhook(`whsec_${key.toString('base64')}`).verify(body, headers)).toEqual({ text });
        const stranger = new Webhook(`whsec_${randomBytes(32).toString('base64')}`);
        expect(() => stranger.verify(body, headers)).toThrow('No matching signature');
        expect(() => new Webhook(`whsec_${keys[0]?.toString('base64')}`).verify(`${body} `, headers)).toThrow(
          'No matching signature',
        );
      }),
      { numRuns: 50 },
    );
  });

  it('expire', () => {
    const key = randomBytes(32);
    const headers = signedHeaders('msg_1', new Date(Date.now() - 600_000), '{}', [key]);
    expect(() => new Webhook(`whsec_${key.toString('base64')}`).verify('{}', headers)).toThrow('too old');
  });
});

describe('the delay between attempts', () => {
  it('grows up to six hours', () => {
    const pauses = Array.from({ length: 12 }, (_x, i) => deliveryRetryDelayMs(i + 1, 0.5));
    expect(pauses.slice(0, 4)).toEqual([5_000, 20_000, 80_000, 320_000]);
    expect([...pauses].sort((one, other) => one - other)).toEqual(pauses);
    expect(Math.max(...pauses)).toBe(6 * 3_600_000);
  });

  it('has a jitter of 20 %', () => {
    expect([deliveryRetryDelayMs(1, 0), deliveryRetryDelayMs(1, 1)]).toEqual([4_000, 6_000]);
  });
});

describe('a request to a webhook endpoint', () => {
  it('ends with the status, whatever the size of the body, and at its time limit', async () => {
    const app = express();
    app.post('/flood', (_request, response) => {
      response.status(202);
      const flood = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', flood).on('error', () => undefined);
      flood();
    });
    app.post('/slow', () => undefined);
    const server = await listen(app);
    const http = new OutboundHttp({ allowPrivateAddresses: true, timeoutMs: 300_000 });
    expect(await http.postJson(`${server.url}/flood`, '{}', {})).toBe(202);
    const hasty = new OutboundHttp({ allowPrivateAddresses: true, timeoutMs: 100 });
    await expect(hasty.postJson(`${server.url}/slow`, '{}', {})).rejects.toMatchObject({
      name: 'OutboundRequestFailed',
      reason: 'ETIMEDOUT',
    });
    await expect(
      new OutboundHttp({ allowPrivateAddresses: false }).postJson(server.url, '{}', {}),
    ).rejects.toMatchObject({
      reason: expect.stringContaining('only https'),
    });
    await server.close();
  });
});
