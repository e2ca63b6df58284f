import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as contracts from '@tributary/contracts';
import {
  ApiError,
  type TokenSet,
  TributaryServer,
  type TributaryUser,
  type WebhookDelivery,
  type WebhookEvent,
  memoryTokenStore,
  newState,
  readConnectRedirect,
  verifyWebhook,
} from '@tributary/sdk';
import { Webhook } from 'standardwebhooks';
import type { z } from 'zod';
import { waitUntil } from '@tributary/test-environment';
import { readySuite } from '../suite/ready';
import { adminWithInput, follow, newAppUserId, newClient } from '../suite/users';

const ready = readySuite();
const addresses = {
  baseUrl: ready.base_url,
  authUrl: ready.auth_url,
  searchUrl: ready.search_url,
  analyticsUrl: ready.analytics_url,
};
const patient = 'small-Ida-Kowalczyk';

/** Expects a response to have the fields of its contract and no others. */
function expectContract(schema: z.ZodType, value: unknown): void {
  expect(schema.parse(value)).toEqual(value);
}

describe('@tributary/sdk', () => {
  let server: TributaryServer;
  let user: TributaryUser;
  let tokens: TokenSet;
  let serviceUserId: number;
  beforeAll(async () => {
    const { client_id, client_secret } = await newClient(ready, 'sdk journey');
    server = new TributaryServer({ ...addresses, clientId: client_id, clientSecret: client_secret });
    const created = await server.users.create(newAppUserId());
    expectContract(contracts.userWithCode, created);
    serviceUserId = created.service_user_id;
    tokens = await server.tokens.exchange(created.code);
    user = server.user(tokens);
    const state = newState();
    const url = await user.connectUrl({
      health_system_id: ready.sandbox.health_system_id,
      fhirVersion: 'r4',
      state,
      parameters: { prompt: 'none', login_hint: patient },
    });
    const result = readConnectRedirect(await follow(url, ready.client.redirect_uri), { state });
    expect(result).toMatchObject({ success: true, health_system_id: ready.sandbox.health_system_id });
    const progress: number[] = [];
    const connections = await user.connections.waitUntilCollected({
      pollMs: 100,
      onProgress: (all) => progress.push(all.length),
    });
    expect(connections.map(({ connection_id }) => connection_id)).toEqual(result.success && result.connection_ids);
    expect(connections.map(({ status, fhirVersion }) => [status, fhirVersion])).toEqual([['active', 'r4']]);
    expect(progress.length).toBeGreaterThan(0);
  });

  it('opens the connect pages', async () => {
    const url = await user.connectPageUrl({ state: newState(), query: 'sandbox' });
    const { status, headers } = await fetch(url, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/\/connect\/pages\/[\w-]{22}\/search\?query=sandbox$/),
    ]);
  });

  it('manages users', async () => {
    const appUserId = newAppUserId();
    const { service_user_id } = await server.users.findOrCreate(appUserId);
    expect((await server.users.findOrCreate(appUserId)).service_user_id).toBe(service_user_id);
    await expect(server.users.create(appUserId)).rejects.toMatchObject({
      name: 'ApiError',
      status: 409,
      code: 'user_already_exists',
      requestId: expect.stringMatching(/./),
    });
    const listed: number[] = [];
    for await (const entry of server.users.list()) listed.push(entry.service_user_id);
    expect(listed).toEqual(expect.arrayContaining([serviceUserId, service_user_id]));
    expectContract(contracts.userList, await server.users.page({ limit: 1 }));
    const renamed = await server.users.update(service_user_id, { app_user_id: newAppUserId() });
    expectContract(contracts.changedUser, renamed);
    expect(await server.users.find({ app_user_id: appUserId })).toBeUndefined();
    expect(await server.users.find({ service_user_id })).toEqual({
      service_user_id,
      app_user_id: renamed.app_user_id,
      active: true,
    });
    await server.users.delete(service_user_id);
    await expect(server.users.delete(service_user_id)).rejects.toMatchObject({ code: 'user_not_found' });
  });

  it("reaches a user's connections by the credentials of the client, and tokens by the service_user_id", async () => {
    const connections = server.connections(serviceUserId);
    const [connection] = await connections.list();
    expectContract(contracts.connectionDetail, await connections.get(connection!.connection_id));
    expectContract(contracts.refreshedConnection, await connections.refresh(connection!.connection_id, { full: true }));
    expect((await connections.waitUntilCollected({ pollMs: 100 })).map(({ status }) => status)).toEqual(['active']);
    await expect(server.connections(serviceUserId + 1_000_000).list()).rejects.toMatchObject({
      code: 'user_not_found',
    });

    const again = await server.openUser({ service_user_id: serviceUserId });
    expect((await again.connections.list()).map(({ connection_id }) => connection_id)).toEqual([
      connection!.connection_id,
    ]);
    await expect(server.openUser({ service_user_id: serviceUserId + 1_000_000 })).rejects.toMatchObject({
      code: 'user_not_found',
    });
  });

  it('refreshes tokens that several processes share, without revoking them', async () => {
    const { code } = await server.users.create(newAppUserId());
    const first = await server.tokens.exchange(code);
    const store = memoryTokenStore(first);
    const processes = Array.from({ length: 4 }, () => server.user(store));
    const call = (index: number): Promise<unknown> => processes[index % processes.length]!.connections.list();
    for (let round = 0; round < 3; round++) {
      const before = await store.load();
      await store.compareAndSet(before.version, { ...before, version: `expired-${round}`, expires_at: Date.now() - 1 });
      await Promise.all(Array.from({ length: 12 }, (_, index) => call(index)));
      expect((await store.load()).access_token).not.toBe(before.access_token);
    }
    await server.tokens.revoke((await store.load()).access_token);
    await Promise.all(Array.from({ length: 12 }, (_, index) => call(index)));
    await server.tokens.revoke((await store.load()).refresh_token);
    await expect(call(0)).rejects.toMatchObject({ code: 'invalid_grant' });
  });

  it('searches the directory and reads connections', async () => {
    expectContract(contracts.healthSystemSearchResponse, await user.healthSystems.page({ query: 'sandbox' }));
    const { total } = await user.healthSystems.page();
    const ids = new Set<number>();
    for await (const { id } of user.healthSystems.search()) ids.add(id);
    expect(ids.size).toBe(total);
    const [connection] = await user.connections.list();
    expectContract(contracts.connectionList.shape.entry, [connection]);
    const { connection_id } = connection!;
    expectContract(contracts.connectionDetail, await user.connections.get(connection_id));
    expectContract(contracts.refreshedConnection, await user.connections.refresh(connection_id));
    await user.connections.waitUntilCollected({ connection_ids: [connection_id], pollMs: 100 });
    await expect(user.connections.get('7c0b2f2e-95cc-4d4b-8c3e-6a8f5ddc1fb0')).rejects.toMatchObject({
      code: 'connection_not_found',
    });
  });

  it('reads and writes FHIR', async () => {
    const fhir = user.fhir('r4');
    const observations = fhir.search('Observation', { _count: 50 });
    const all = await observations.toArray();
    expect(all.length).toBe((await observations.summary()).total);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    await expect(fhir.search('Condition', { Code: 'x' }).toArray()).rejects.toMatchObject({
      name: 'ApiError',
      status: 400,
    });
    const { outcomes } = await fhir.search('Condition', { Code: 'x' }, { handling: 'lenient' }).summary();
    expect(JSON.stringify(outcomes)).toContain('Code');

    const created = await fhir.create({ resourceType: 'Patient', gender: 'female', birthDate: '1990-07-04' });
    const updated = await fhir.update({ ...created, gender: 'other' }, { ifMatch: created.meta.versionId });
    expect([updated.gender, updated.meta.versionId]).toEqual(['other', '2']);
    await expect(fhir.update(created, { ifMatch: '1' })).rejects.toMatchObject({ status: 412 });
    const path = '/active';
    expect((await fhir.patch('Patient', created.id, [{ op: 'add', path, value: true }])).active).toBe(true);
    expect((await fhir.history('Patient', created.id).toArray()).map(({ meta }) => meta.versionId)).toEqual([
      '3',
      '2',
      '1',
    ]);
    expect((await fhir.readVersion('Patient', created.id, '2')).gender).toBe('other');
    await fhir.delete('Patient', created.id);
    await expect(fhir.read('Patient', created.id)).rejects.toMatchObject({ status: 410 });

    const done = await fhir.bundle({
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        {
          resource: {
            resourceType: 'Binary',
            contentType: 'text/plain',
            data: Buffer.from('a note').toString('base64'),
          },
          request: { method: 'POST', url: 'Binary' },
        },
      ],
    });
    const [, reference = ''] = /(Binary\/[^/]+)/.exec(done.entry?.[0]?.response?.location ?? '') ?? [];
    const binary = await fhir.binary(reference);
    expect(binary.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await binary.text()).toBe('a note');

    const older = await user.fhir('dstu2').create({ resourceType: 'Patient', birthDate: '1980-01-02' });
    expect((await user.fhir('dstu2', { as: 'r4' }).read('Patient', older.id)).birthDate).toBe('1980-01-02');
  });

  it('exports, in parallel and with progress', async () => {
    const manifest = await user.exports.export();
    expectContract(contracts.exportManifest, manifest);
    const count = async (of: typeof manifest, exports: TributaryUser['exports']): Promise<number> => {
      const seen = new Set<string>();
      let lines = 0;
      for await (const { resource, file } of exports.resources(of, {
        onProgress: (progress) => (lines = progress.lines),
      }))
        seen.add(`${file.extension.fhirVersion} ${resource.resourceType} ${resource.id}`);
      expect(lines).toBe(seen.size);
      return seen.size;
    };
    const expected = manifest.output.reduce((sum, { count: lines }) => sum + lines, 0);
    expect(expected).toBeGreaterThan(20);
    expect(await count(manifest, user.exports)).toBe(expected);

    const job = await user.exports.start({ _type: ['Patient', 'Condition'] });
    const finished = await user.exports.job(job.statusUrl).wait();
    expect(new Set(finished.output.map(({ type }) => type))).toEqual(new Set(['Patient', 'Condition']));
    await job.cancel();
    await expect(job.status()).rejects.toMatchObject({ name: 'ApiError', status: 404 });

    const ofAll = await server.exports.export({ _type: ['Condition'] });
    expect(await count(ofAll, server.exports)).toBeGreaterThan(0);
    await expect(user.exports.export({ _type: ['Nonsense'] })).rejects.toThrow(ApiError);

    const person = await user.fhir('r4').search('Patient').first();
    const ofPerson = { patient: person!.id, _type: ['Patient'] };
    for (const exports of [user.exports, server.exports]) {
      expect(await count(await exports.export(ofPerson), exports)).toBe(1);
      expect(await count(await (await exports.start(ofPerson)).wait(), exports)).toBe(1);
    }
  });

  it('authenticates a backend service by a private key', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const key = { ...publicKey.export({ format: 'jwk' }), kid: 'journey', use: 'sig', alg: 'ES384' };
    const words = ['--name', 'sdk backend', '--redirect-uri', ready.client.redirect_uri, '--json', '--jwks', '-'];
    const client = JSON.parse(await adminWithInput(JSON.stringify({ keys: [key] }), 'client', 'create', ...words)) as {
      client_id: string;
    };
    const backend = new TributaryServer({
      ...addresses,
      clientId: client.client_id,
      privateKey: { key: privateKey.export({ format: 'jwk' }), kid: 'journey', algorithm: 'ES384' },
    });
    expectContract(contracts.systemTokenResponse, await backend.tokens.systemToken('system/Patient.rs'));
    expect((await backend.exports.export()).output).toEqual([]);
  });
});

/** What standardwebhooks from npm returns for a delivery: the event, or the error as text. */
function verifiedByStandardWebhooks(body: Buffer, headers: IncomingHttpHeaders, secret: string): unknown {
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  } catch (error) {
    return String(error);
  }
}

// A suite in containers cannot send requests to a receiver on this machine.
(process.env['JOURNEY_ADMIN'] ? describe.skip : describe)('verifyWebhook', () => {
  let receiver: Server;
  afterAll(() => receiver?.close());

  it('accepts what the suite sends', async () => {
    const { client_id, client_secret } = await newClient(ready, 'sdk webhooks');
    const server = new TributaryServer({ ...addresses, clientId: client_id, clientSecret: client_secret });
    const events: WebhookEvent[] = [];
    /** What the public library of Standard Webhooks reads from the same deliveries. */
    const verifiedByOthers: unknown[] = [];
    let secret = '';
    receiver = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const body = Buffer.concat(pieces);
        verifyWebhook(body, request.headers, secret).then(
          (event) => {
            events.push(event);
            verifiedByOthers.push(verifiedByStandardWebhooks(body, request.headers, secret));
            response.writeHead(204).end();
          },
          () => response.writeHead(400).end(),
        );
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const created = await server.webhooks.create({ url });
    expectContract(contracts.createdWebhook, created);
    ({ secret } = created);
    expect((await server.webhooks.list()).map(({ endpoint_id }) => endpoint_id)).toEqual([created.endpoint_id]);
    const tested = await server.webhooks.test(created.endpoint_id);
    expectContract(contracts.testedWebhook, tested);
    expect(tested).toMatchObject({ delivered: true, status: 204 });
    expect(events.map(({ type }) => type)).toEqual(['webhook.test']);
    expectContract(contracts.webhookEvent('webhook.test'), events[0]);
    const rotated = await server.webhooks.rotateSecret(created.endpoint_id);
    expect((await server.webhooks.test(created.endpoint_id)).delivered).toBe(true);
    ({ secret } = rotated);
    expect((await server.webhooks.test(created.endpoint_id)).delivered).toBe(true);

    // A deleted user makes an event. The endpoint misses it while it is disabled, and gets it by a replay.
    const since = new Date(Date.now() - 3_600_000);
    const changed = await server.webhooks.update(created.endpoint_id, { events: ['user.deleted'], status: 'disabled' });
    expectContract(contracts.changedWebhook, changed);
    expect([changed.status, changed.events]).toEqual(['disabled', ['user.deleted']]);
    const { service_user_id } = await server.users.create(newAppUserId());
    await server.users.delete(service_user_id);
    const log = async (): Promise<WebhookDelivery[]> => {
      const entries: WebhookDelivery[] = [];
      for await (const entry of server.webhooks.deliveries(created.endpoint_id, { event: 'user.deleted', since }))
        entries.push(entry);
      return entries;
    };
    const until = (state: WebhookDelivery['state']): Promise<WebhookDelivery> => {
      const whenIn = async (): Promise<WebhookDelivery | undefined> => {
        const [entry] = await log();
        return entry?.state === state ? entry : undefined;
      };
      return waitUntil(whenIn, `the delivery is ${state}`, 100);
    };
    const missed = await until('missed');
    expect(missed.attempts).toEqual([]);
    expectContract(contracts.deliveryList, await server.webhooks.deliveryPage(created.endpoint_id, { limit: 1 }));

    await server.webhooks.update(created.endpoint_id, { status: 'enabled' });
    const replayed = await server.webhooks.replay(created.endpoint_id, { since, state: 'missed' });
    expectContract(contracts.replayed, replayed);
    expect(replayed.replayed).toBe(1);
    const delivered = await until('delivered');
    expect([delivered.webhook_id, delivered.attempts.map(({ status }) => status)]).toEqual([missed.webhook_id, [204]]);
    expect(events.at(-1)).toMatchObject({ type: 'user.deleted', data: { service_user_id } });
    const single = await server.webhooks.replayDelivery(created.endpoint_id, delivered.webhook_id);
    expectContract(contracts.replayedDelivery, single);
    expect(single.webhook_id).toBe(missed.webhook_id);
    await server.webhooks.delete(created.endpoint_id);
    expect(await server.webhooks.list()).toEqual([]);
    expect(events.length).toBeGreaterThan(3);
    expect(verifiedByOthers).toEqual(events);
  });
});
