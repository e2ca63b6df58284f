import request, { type Response } from 'supertest';
import { newPerson } from '../../test/connect-flow';
import { WebhookReceiver } from '../../test/webhook-receiver';
import { webhookScene } from '../../test/webhook-scene';

const anId = '7d9b6c0e-3f0a-4a51-9f60-0d6f0f6a7b11';
const scene = webhookScene();

describe('webhook endpoints', () => {
  it('return their secret once, and store it sealed', async () => {
    expect(scene.receiver.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await scene.listed()).toEqual([
      {
        endpoint_id: scene.endpointId,
        url: scene.receiver.url,
        mode: 'test',
        status: 'enabled',
        consecutive_failures: 0,
        created_at: expect.any(String),
      },
    ]);
    const [row] = (await scene.service.sql('SELECT secret_sealed FROM webhook_endpoint')) as {
      secret_sealed: Buffer;
    }[];
    expect(row?.secret_sealed.includes(Buffer.from(scene.receiver.secret.slice(6), 'base64'))).toBe(false);
  });

  it('sign with the previous secret too for a day after a rotation', async () => {
    const rotated = (await scene.webhooks('post', `/${scene.endpointId}/rotate-secret`)).body as {
      secret: string;
      previous_secret_until: string;
    };
    expect(Date.parse(rotated.previous_secret_until) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const test = (): Promise<Response> => scene.webhooks('post', `/${scene.endpointId}/test`);
    await test();
    scene.receiver.secret = rotated.secret;
    await test();
    expect(scene.receiver.received.map(({ signatures }) => signatures)).toEqual([2, 2]);
    await scene.service.sql(`UPDATE webhook_endpoint SET previous_secret_until = now() - interval '1 second'`);
    await test();
    expect(scene.receiver.received.map(({ signatures }) => signatures)).toEqual([2, 2, 1]);
    expect(scene.receiver.forged).toBe(0);
  });

  it('are tested with one attempt', async () => {
    const lastSuccess = async (): Promise<unknown> => {
      const { entry } = (await scene.webhooks('get')).body as { entry: Record<string, unknown>[] };
      return entry.find(({ endpoint_id }) => endpoint_id === scene.endpointId)?.['last_success_at'];
    };
    expect(await lastSuccess()).toBeUndefined();
    expect((await scene.webhooks('post', `/${scene.endpointId}/test`)).body).toEqual({
      success: true,
      delivered: true,
      status: 204,
      duration_ms: expect.any(Number),
    });
    expect(scene.receiver.received).toMatchObject([{ type: 'webhook.test', data: { endpoint_id: scene.endpointId } }]);
    const delivered = await lastSuccess();
    expect(delivered).toEqual(expect.any(String));
    scene.receiver.status = 302;
    expect((await scene.webhooks('post', `/${scene.endpointId}/test`)).body).toEqual({
      success: true,
      delivered: false,
      status: 302,
      duration_ms: expect.any(Number),
    });
    await scene.receiver.close();
    expect((await scene.webhooks('post', `/${scene.endpointId}/test`)).body).toEqual({
      success: true,
      delivered: false,
      reason: 'ECONNREFUSED',
      duration_ms: expect.any(Number),
    });
    expect(await lastSuccess()).toBe(delivered);
    expect(await scene.waiting()).toBe(0);
    scene.receiver = await WebhookReceiver.listen();
  });

  it('are deleted with their pending deliveries', async () => {
    scene.receiver.status = 500;
    await scene.connectAndComplete();
    expect((await scene.webhooks('delete', `/${scene.endpointId}`)).body).toEqual({ success: true });
    expect(await scene.waiting()).toBe(0);
    expect(await scene.listed()).toEqual([]);
    expect((await scene.webhooks('delete', `/${scene.endpointId}`)).status).toBe(404);
  });

  it('are found by their client only', async () => {
    const stranger = (await newPerson(scene.service)).clientHeaders;
    for (const [method, path] of [
      ['delete', ''],
      ['post', '/test'],
      ['post', '/enable'],
      ['post', '/rotate-secret'],
      ['get', '/deliveries'],
      ['post', `/deliveries/msg_${anId}/replay`],
    ] as const) {
      const response = await scene.webhooks(method, `/${scene.endpointId}${path}`, undefined, stranger);
      expect([response.status, response.body]).toMatchObject([
        404,
        { success: false, error_code: 'webhook_endpoint_not_found' },
      ]);
      expect((await scene.webhooks(method, `/${anId}${path}`)).status).toBe(404);
      expect((await scene.webhooks(method, `/nonsense${path}`)).status).toBe(400);
    }
    expect((await scene.webhooks('get', '', undefined, stranger)).body).toEqual({ success: true, entry: [] });
    for (const headers of [
      {},
      { ...scene.person.clientHeaders, client_secret: 'wrong' },
      { Authorization: `Bearer ${scene.person.token}` },
    ])
      expect((await scene.webhooks('get', '', undefined, headers)).status).toBe(401);
  });

  it('need a URL that can be called; a client has at most ten', async () => {
    for (const url of [
      'nowhere',
      'ftp://example.org/',
      'javascript:alert(1)',
      'https://user:word@example.org/',
      `https://example.org/${'x'.repeat(2048)}`,
    ])
      expect((await scene.create(url)).status).toBe(400);
    expect((await scene.webhooks('post', '', {})).status).toBe(400);
    const all = await Promise.all(Array.from({ length: 12 }, (_, n) => scene.create(`${scene.receiver.url}&n=${n}`)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(9);
    const refused = all.filter(({ status }) => status === 409);
    expect(refused.map(({ body }) => (body as { error_code: string }).error_code)).toEqual(
      Array.from({ length: 3 }, () => 'too_many_webhook_endpoints'),
    );
  });

  it('have different URLs, also when they are created at the same time', async () => {
    const url = 'http://localhost:9/hook';
    const all = await Promise.all([scene.create(url), scene.create(`${url}#part`), scene.create(url)]);
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(all.find(({ status }) => status === 409)?.body).toMatchObject({ error_code: 'webhook_url_taken' });
    const moved = await scene.webhooks('patch', `/${scene.endpointId}`, { url });
    expect([moved.status, moved.body]).toMatchObject([409, { error_code: 'webhook_url_taken' }]);
    const same = await scene.webhooks('patch', `/${scene.endpointId}`, { url: scene.receiver.url });
    expect(same.status).toBe(200);
    const stranger = (await newPerson(scene.service)).clientHeaders;
    expect((await scene.webhooks('post', '', { url }, stranger)).status).toBe(200);
  });

  it('are changed: the events, the URL and the status', async () => {
    const second = await WebhookReceiver.listen();
    second.secret = scene.receiver.secret;
    const change = (body: object): Promise<Response> => scene.webhooks('patch', `/${scene.endpointId}`, body);
    expect((await change({ url: second.url, events: ['collection.completed'] })).body).toMatchObject({
      url: second.url,
      events: ['collection.completed'],
    });
    await scene.connectAndComplete();
    await scene.settle();
    expect(second.received.map(({ type }) => type)).toEqual(['collection.completed']);
    expect((await change({ status: 'disabled' })).body).toMatchObject({
      status: 'disabled',
      disabled_reason: 'the client disabled it',
      last_success_at: expect.any(String),
    });
    await scene.again();
    await scene.report({ state: 'completed', types: [] });
    expect(await scene.waiting()).toBe(0);
    const all = (await change({ events: null, status: 'enabled' })).body as object;
    expect(all).toMatchObject({ status: 'enabled' });
    expect(all).not.toHaveProperty('events');
    expect(all).not.toHaveProperty('disabled_reason');
    expect(scene.receiver.received).toEqual([]);
    await second.close();
  });

  it('select events that exist, in JSON and in a form', async () => {
    for (const events of [['connection.activ'], [], 'everything', ['webhook.test']]) {
      const response = await scene.create('http://localhost:9/', { events });
      expect([response.status, (response.body as { error: string }).error]).toEqual([
        400,
        expect.stringContaining('events'),
      ]);
    }
    for (const sent of ['events=user.deleted', 'events=user.deleted&events=connection.failed&events=user.deleted']) {
      const created = await request(scene.service.app)
        .post('/connect/v1/webhooks')
        .set(scene.person.clientHeaders)
        .send(`url=${encodeURIComponent(`http://localhost:9/${sent.length}`)}&${sent}`);
      const expected = sent.includes('failed') ? ['user.deleted', 'connection.failed'] : ['user.deleted'];
      expect([created.status, (created.body as { events: string[] }).events]).toEqual([200, expected]);
    }
    expect((await scene.webhooks('patch', `/${scene.endpointId}`, {})).status).toBe(400);
  });

  it('are part of the OpenAPI document', async () => {
    const document = (await request(scene.service.app).get('/openapi.json')).body as {
      paths: Record<string, unknown>;
      webhooks: Record<string, { post: { parameters: { name: string }[] } }>;
    };
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/connect/v1/webhooks'))).toHaveLength(8);
    expect(Object.keys(document.webhooks)).toEqual([
      'connection.active',
      'connection.needs_reauthorization',
      'connection.failed',
      'connection.revoked',
      'collection.completed',
      'user.deleted',
      'export.completed',
      'webhook.test',
    ]);
    expect(document.webhooks['collection.completed']?.post.parameters.map(({ name }) => name)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
  });
});
