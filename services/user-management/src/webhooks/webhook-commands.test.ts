import { randomBytes } from 'node:crypto';
import { waitUntil } from '@tributary/test-environment';
import { webhookEvent, webhookEventTypes } from '@tributary/contracts';
import { WebhookReceiver } from '../../test/webhook-receiver';
import { adminProgram } from '../admin-program';

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Runs a command in the sandbox mode, without a database. */
function run(words: string[], lines: string[], stop?: AbortSignal): Promise<unknown> {
  return adminProgram((line) => lines.push(line), { SANDBOX_MODE: 'true' }, stop).parseAsync(words, { from: 'user' });
}

describe('webhook simulate', () => {
  it('sends a valid sample of each type that the reference implementation verifies', async () => {
    const receiver = await WebhookReceiver.listen();
    receiver.secret = newSecret();
    const lines: string[] = [];
    await run(['webhook', 'simulate', '--url', receiver.url, '--secret', receiver.secret, '--mode', 'live'], lines);
    expect(receiver.forged).toBe(0);
    expect(receiver.received.map(({ type }) => type)).toEqual([...webhookEventTypes]);
    for (const { id: _id, signatures: _signatures, ...event } of receiver.received) {
      webhookEvent(event.type as 'user.deleted').parse(event);
      expect(event.mode).toBe('live');
    }
    expect(lines).toEqual(webhookEventTypes.map((type) => `${type}  204`));
    await receiver.close();
  });

  it('fails when the receiver does not accept an event', async () => {
    const receiver = await WebhookReceiver.listen();
    receiver.status = 500;
    const lines: string[] = [];
    const words = ['webhook', 'simulate', '--url', receiver.url, '--secret', newSecret(), '--event', 'user.deleted'];
    await expect(run(words, lines)).rejects.toThrow('one event was not accepted');
    expect(lines).toEqual(['user.deleted  500']);
    await receiver.close();
  });
});

describe('webhook listen', () => {
  it('prints and verifies what it receives, until it is stopped', async () => {
    const [secret, stop] = [newSecret(), new AbortController()];
    const heard: string[] = [];
    const listening = run(['webhook', 'listen', '--port', '0', '--secret', secret], heard, stop.signal);
    await waitUntil(() => heard.length === 1);
    const port = /^listening at http:\/\/localhost:(\d+)\//.exec(heard[0]!)?.[1];
    const send = (key: string): Promise<unknown> =>
      run(
        ['webhook', 'simulate', '--url', `http://127.0.0.1:${port}/`, '--secret', key, '--event', 'user.deleted'],
        [],
      );
    await send(secret);
    await send(newSecret());
    await waitUntil(() => heard.length === 5);
    expect(heard[1]).toMatch(/^msg_[0-9a-f-]{36} {2}verified$/);
    expect(JSON.parse(heard[2]!)).toMatchObject({ type: 'user.deleted', mode: 'test' });
    expect(heard[3]).toContain('REFUSED: the signature is wrong');
    stop.abort();
    await listening;
  });
});
