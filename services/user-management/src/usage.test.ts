import type { LimitUsage } from '@tributary/contracts';
import request from 'supertest';
import { runForTest } from '../test/running-service';
import { usersPath } from '../test/user-scene';

describe('the use of limits', () => {
  it('is told to a client exactly, and asking uses nothing', async () => {
    const service = await runForTest({ RATE_LIMIT_PER_HOUR: '6' });
    try {
      const [own, other] = [service.auth.addClient(), service.auth.addClient()].map(({ client_id, client_secret }) => ({
        client_id,
        client_secret,
      }));
      const usage = async (client = own): Promise<Record<string, LimitUsage>> => {
        const { status, body } = await request(service.app).get('/user-management/v1/usage').set(client!);
        expect([status, body.success]).toEqual([200, true]);
        return Object.fromEntries((body.entry as LimitUsage[]).map((entry) => [entry.name, entry]));
      };
      const before = await usage();
      expect(Object.values(before).every(({ quota, remaining }) => quota === remaining)).toBe(true);
      expect(before['webhook-endpoints']).toEqual({
        name: 'webhook-endpoints',
        description: 'Webhook endpoints of a client.',
        quota: 10,
        window_seconds: null,
        remaining: 10,
        resets_at: null,
      });
      for (let i = 0; i < 4; i++) await request(service.app).get(usersPath).set(own!);
      const webhook = { url: 'https://app.example.org/webhooks' };
      expect((await request(service.app).post('/connect/v1/webhooks').set(own!).send(webhook)).status).toBe(200);
      for (let i = 0; i < 3; i++) await request(service.app).get('/connect/v1/connections').set(own!);
      const { headers } = await request(service.app).get('/connect/v1/connections').set(own!);
      const after = await usage();
      expect(after['user-management']).toMatchObject({ quota: 6, window_seconds: 3600, remaining: 2 });
      expect(Date.parse(after['user-management']?.resets_at ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
      expect(after['user-management-webhooks']).toMatchObject({ remaining: 5 });
      expect(after['webhook-endpoints']).toMatchObject({ remaining: 9, resets_at: null });
      expect(headers['ratelimit']).toContain('"connections-client"');
      expect(await usage()).toMatchObject({ 'user-management': { remaining: 2 } });
      expect(await usage(other)).toEqual(before);
      const wrong = { ...own!, client_secret: 'wrong' };
      expect((await request(service.app).get('/user-management/v1/usage').set(wrong)).status).toBe(401);
    } finally {
      await service.stop();
    }
  });
});
