import { waitUntil } from '@tributary/test-environment';
import request from 'supertest';
import { connect, newHealthSystem, newPerson } from '../../test/connect-flow';
import { credentialsOf, runForTest } from '../../test/running-service';
import { WebhookReceiver } from '../../test/webhook-receiver';
import { collectedTypes } from '../../test/webhook-scene';

describe('webhooks after a crash, and outside the sandbox mode', () => {
  it('are delivered by the next process when one ends between event and delivery', async () => {
    const service = await runForTest();
    const receiver = await WebhookReceiver.listen();
    const person = await newPerson(service);
    const at = await newHealthSystem(service);
    receiver.secret = (
      (await request(service.app).post('/connect/v1/webhooks').set(person.clientHeaders).send({ url: receiver.url }))
        .body as { secret: string }
    ).secret;
    await connect(service, person, at);
    const [row] = (await service.sql('SELECT connection_id, collection_id FROM connection')) as {
      connection_id: string;
      collection_id: string;
    }[];
    await request(service.internal)
      .put(`/internal/v1/connections/${row?.connection_id}/collections/${row?.collection_id}`)
      .set('Authorization', credentialsOf('ingestion-worker'))
      .send({ state: 'completed', types: collectedTypes });
    expect(receiver.received).toEqual([]);
    service.environment['DELIVER_WEBHOOKS_EVERY_SECONDS'] = '0.05';
    await service.replica();
    await waitUntil(() => receiver.received.length === 2);
    expect(receiver.received.map(({ type }) => type)).toEqual(['connection.active', 'collection.completed']);
    await service.stop();
    await Promise.all([at.system.close(), receiver.close()]);
  });

  it('are sent to https and public addresses only', async () => {
    const service = await runForTest({ SANDBOX_MODE: 'false', BASE_URL: 'https://tributary.test' });
    const person = await newPerson(service);
    for (const url of [
      'http://example.org/hook',
      'https://127.0.0.1/hook',
      'https://localhost/hook',
      'https://[::1]/hook',
      'https://169.254.169.254/latest',
    ]) {
      const response = await request(service.app).post('/connect/v1/webhooks').set(person.clientHeaders).send({ url });
      expect([response.status, response.body]).toMatchObject([
        400,
        { error: expect.stringContaining('the address is refused') },
      ]);
    }
    await service.stop();
  });
});
