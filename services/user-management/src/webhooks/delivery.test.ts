import { waitUntil } from '@tributary/test-environment';
import { newPerson } from '../../test/connect-flow';
import { WebhookReceiver } from '../../test/webhook-receiver';
import { collectedTypes, webhookScene } from '../../test/webhook-scene';

const scene = webhookScene();

describe('delivery of webhooks', () => {
  it.each([500, 302, 404])('is retried after a %i, under the same id, with exponential backoff', async (status) => {
    // Within a transaction, now() does not advance: the delay is exact.
    await scene.service.sql('CREATE TABLE delays (n serial, seconds float)');
    await scene.service.sql(
      `CREATE FUNCTION log_delay() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN INSERT INTO delays (seconds) VALUES (extract(epoch FROM new.due_at - now())); RETURN new; END $$`,
    );
    await scene.service.sql(
      'CREATE TRIGGER log_delay BEFORE UPDATE OF attempts ON webhook_delivery FOR EACH ROW EXECUTE FUNCTION log_delay()',
    );
    scene.receiver.status = (nth) => (nth <= 3 ? status : 200);
    await scene.connectAndComplete();
    await waitUntil(async () => {
      await scene.dueNow();
      return (await scene.waiting()) === 0;
    });
    const delays = await scene.service.sql('SELECT seconds FROM delays ORDER BY n');
    await scene.service.sql('DROP TRIGGER log_delay ON webhook_delivery; DROP FUNCTION log_delay(); DROP TABLE delays');
    expect(delays).toHaveLength(3);
    for (const [index, seconds] of [5, 20, 80].entries()) {
      expect(delays[index]?.['seconds']).toBeGreaterThanOrEqual(0.8 * seconds);
      expect(delays[index]?.['seconds']).toBeLessThanOrEqual(1.2 * seconds);
    }
    expect(scene.receiver.received).toHaveLength(5);
    expect(new Set(scene.receiver.received.map(({ id }) => id)).size).toBe(2);
    expect(new Set(scene.receiver.received.map(({ timestamp }) => timestamp)).size).toBeLessThanOrEqual(2);
    expect((await scene.listed())[0]?.['status']).toBe('enabled');
  });

  it('ends after a day: the endpoint is disabled with a reason, until the client enables it', async () => {
    scene.receiver.status = 503;
    await scene.connectAndComplete();
    await scene.attempted(1);
    await scene.failingFor('23 hours 59 minutes');
    await scene.attempted(10);
    const [last] = await scene.service.sql(
      'SELECT max(extract(epoch FROM due_at - now())::float) AS seconds FROM webhook_delivery WHERE endpoint_id = $1',
      [scene.endpointId],
    );
    expect(last?.['seconds']).toBeLessThan(61);
    await scene.failingFor('24 hours');
    await waitUntil(async () => (await scene.listed())[0]?.['status'] === 'disabled');
    expect(await scene.listed()).toEqual([
      {
        endpoint_id: scene.endpointId,
        url: scene.receiver.url,
        mode: 'test',
        status: 'disabled',
        disabled_reason: 'no event was accepted for 24 hours; at the last attempt it responded with 503',
        disabled_at: expect.any(String),
        last_failure: { at: expect.any(String), status: 503 },
        consecutive_failures: expect.any(Number),
        created_at: expect.any(String),
      },
    ]);
    await scene.again();
    await scene.report({ state: 'completed', types: [] });
    expect(await scene.waiting()).toBe(0);
    scene.receiver.status = 204;
    const had = scene.receiver.received.length;
    const enabled = (await scene.webhooks('post', `/${scene.endpointId}/enable`)).body as object;
    expect(enabled).toMatchObject({ success: true, endpoint_id: scene.endpointId, status: 'enabled' });
    expect(enabled).toMatchObject({ consecutive_failures: 0, last_failure: { status: 503 } });
    expect(enabled).not.toHaveProperty('disabled_reason');
    await scene.again();
    await scene.report({ state: 'completed', types: [] });
    await scene.settle();
    expect(scene.received().slice(had)).toEqual(['collection.completed']);
  });

  it('ends at once after a 410', async () => {
    scene.receiver.status = 410;
    await scene.connectAndComplete();
    await waitUntil(async () => (await scene.listed())[0]?.['status'] === 'disabled');
    expect((await scene.listed())[0]?.['disabled_reason']).toBe('it responded with 410: it accepts no more events');
  });

  it('reports why an endpoint did not respond', async () => {
    await scene.receiver.close();
    await scene.connectAndComplete();
    await scene.attempted(1);
    await scene.failingFor('25 hours');
    await waitUntil(async () => (await scene.listed())[0]?.['status'] === 'disabled');
    expect((await scene.listed())[0]?.['disabled_reason']).toContain('there was no response: ECONNREFUSED');
    scene.receiver = await WebhookReceiver.listen();
  });

  it('of the events of one connection is sequential, also with several replicas; a slow endpoint delays no other', async () => {
    await scene.service.replica();
    scene.receiver.delayMs = 150;
    const fast = await newPerson(scene.service);
    const fastReceiver = await WebhookReceiver.listen();
    fastReceiver.secret = (
      (await scene.webhooks('post', '', { url: fastReceiver.url }, fast.clientHeaders)).body as { secret: string }
    ).secret;
    await scene.connectAndComplete();
    for (let i = 0; i < 5; i++) {
      await scene.again();
      await scene.report({ state: 'completed', types: [{ ...collectedTypes[0]!, fetched: i }] });
    }
    const slow = scene.person;
    scene.person = fast;
    await scene.connectAndComplete();
    scene.person = slow;
    await waitUntil(() => fastReceiver.received.length === 2);
    await scene.settle();
    expect(scene.receiver.maxConcurrent).toBe(1);
    const fetched = scene.receiver.received
      .slice(2)
      .map(({ data }) => (data['types'] as { fetched: number }[])[0]?.fetched);
    expect(fetched).toEqual([0, 1, 2, 3, 4]);
    await fastReceiver.close();
  });

  it('is repeated after the lease of a killed process expires', async () => {
    // The endpoint accepts the event, and the process cannot record it, as after a crash.
    await scene.service.sql('CREATE SEQUENCE failures');
    await scene.service.sql(
      `CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('failures') = 1 THEN RAISE EXCEPTION 'killed'; END IF; RETURN new; END $$`,
    );
    await scene.service.sql(
      `CREATE TRIGGER fail_once BEFORE UPDATE ON webhook_delivery FOR EACH ROW WHEN (new.state = 'delivered') EXECUTE FUNCTION fail_once()`,
    );
    await scene.connectAndComplete();
    await waitUntil(async () => (await scene.service.sql(`SELECT FROM failures WHERE is_called`)).length > 0);
    await scene.service.sql(`UPDATE webhook_delivery SET lease_until = now() WHERE endpoint_id = $1`, [
      scene.endpointId,
    ]);
    await scene.lookNow();
    await scene.settle();
    await scene.service.sql(
      'DROP TRIGGER fail_once ON webhook_delivery; DROP FUNCTION fail_once(); DROP SEQUENCE failures',
    );
    expect(scene.received()).toEqual(['connection.active', 'connection.active', 'collection.completed']);
    expect(new Set(scene.receiver.received.map(({ id }) => id)).size).toBe(2);
  });

  it('is concurrent for different connections, with at most eight events per endpoint over all replicas', async () => {
    await scene.service.replica();
    scene.receiver.delayMs = 60_000;
    await scene.moreEvents(30);
    await waitUntil(() => scene.receiver.received.length === 8);
    await scene.lookNow();
    scene.receiver.respondNow();
    await scene.settle();
    expect(scene.receiver.maxConcurrent).toBe(8);
    expect(scene.receiver.received).toHaveLength(30);
  });

  it('tries a failing endpoint with one event at a time, with delays per endpoint', async () => {
    scene.receiver.status = 500;
    scene.receiver.delayMs = 60_000;
    await scene.moreEvents(30);
    await waitUntil(() => scene.receiver.received.length === 8);
    // The delay is half of the time since the first failure: the service makes no attempt on its own during the test.
    await scene.service.sql(
      `UPDATE webhook_endpoint SET failing_since = now() - interval '20 minutes' WHERE endpoint_id = $1`,
      [scene.endpointId],
    );
    scene.receiver.respondNow();
    const allFailed = async (attempts: number): Promise<boolean> => {
      const [endpoint] = await scene.service.sql(
        `SELECT next_due_at > now() + interval '500 seconds' AS delayed, (SELECT sum(attempts)::int FROM webhook_delivery
           WHERE endpoint_id = $1 AND lease_until IS NULL) AS attempts FROM webhook_endpoint WHERE endpoint_id = $1`,
        [scene.endpointId],
      );
      return endpoint?.['delayed'] === true && endpoint['attempts'] === attempts;
    };
    await waitUntil(() => allFailed(8));
    await scene.lookNow();
    await waitUntil(() => allFailed(9));
    expect(scene.receiver.received).toHaveLength(9);
    scene.receiver.status = 204;
    await scene.dueNow();
    await scene.settle();
  });

  it('is delayed for an endpoint whose secret cannot be opened, as if it did not respond', async () => {
    await scene.service.sql(`UPDATE webhook_endpoint SET secret_sealed = 'nonsense' WHERE endpoint_id = $1`, [
      scene.endpointId,
    ]);
    await scene.moreEvents(1);
    await scene.attempted(1);
    expect(scene.receiver.received.length + scene.receiver.forged).toBe(0);
  });

  it('continues for a recovered endpoint when an old event fails again', async () => {
    await scene.moreEvents(2);
    await scene.settle();
    scene.receiver.status = 500;
    await scene.moreEvents(1);
    await scene.attempted(1);
    await scene.service.sql(
      `UPDATE webhook_delivery SET first_attempt_at = now() - interval '25 hours' WHERE endpoint_id = $1`,
      [scene.endpointId],
    );
    await scene.dueNow();
    await scene.attempted(2);
    expect((await scene.listed())[0]?.['status']).toBe('enabled');
    scene.receiver.status = 204;
    await scene.dueNow();
    await scene.settle();
  });

  it('drops only the event that is rejected for a day while others are accepted', async () => {
    scene.receiver.status = 500;
    await scene.moreEvents(1);
    await scene.attempted(1);
    await scene.service.sql(
      `UPDATE webhook_delivery SET first_attempt_at = now() - interval '25 hours', attempts = 8 WHERE endpoint_id = $1`,
      [scene.endpointId],
    );
    await scene.dueNow();
    await scene.settle();
    expect((await scene.listed())[0]?.['status']).toBe('enabled');
    scene.receiver.status = 204;
    await scene.moreEvents(1);
    await scene.settle();
  });
});
