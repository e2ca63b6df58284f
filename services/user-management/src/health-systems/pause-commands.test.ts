import { type RedisClient, createLog, openRedis, readConfig, untilReady } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import { Browser } from '../../test/browser';
import { admin, baseUrl, connectUrl } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';
import { typeProgress } from '../../test/type-progress';
import { CollectionQueue } from '../collection/collection-queue';
import { enqueueDueCollections } from '../collection/due-collections';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import { leaseRevocations } from '../revocations/revocation-queue';

const log = createLog('test', 'silent');

describe('health-system pause', () => {
  const scene = connectionScene();
  let opened: Awaited<ReturnType<typeof openServiceDatabase>>;
  let source: DataSource;
  let redis: RedisClient;
  let queue: CollectionQueue;
  beforeAll(async () => {
    opened = await openServiceDatabase(readConfig(vaultConfig, scene.service.environment));
    source = opened.database;
    redis = openRedis(scene.service.environment['REDIS_URL'] as string, log);
    await untilReady(redis);
    queue = new CollectionQueue(redis, log);
  });
  afterAll(async () => {
    await queue.close();
    redis.disconnect();
    await source.destroy();
  });
  afterEach(() => scene.service.sql('DELETE FROM paused_host'));

  const run = (...words: string[]): Promise<string> => admin(scene.service, 'health-system', ...words);
  const host = (): string => new URL(scene.at.system.url).host;
  const pause = (): Promise<string> => run('pause', host(), '--reason', 'they asked for it');
  const collecting = { state: 'collecting' as const, types: [typeProgress('Observation', 1, 0, false)] };
  const due = (connectionId: string): Promise<unknown> =>
    scene.service.sql(
      `UPDATE connection SET enqueue_at = now(), retry_at = NULL, heartbeat_at = NULL WHERE connection_id = $1`,
      [connectionId],
    );

  it('gives the worker no token, stops its collection after the progress is stored, and resumes it by itself', async () => {
    const connection = await scene.connected();
    const id = connection.connection_id;
    await pause();
    expect((await scene.forCollection(id)).is_paused).toBe(true);
    expect(await scene.accessToken(id)).toMatchObject({ status: 409, body: { error_code: 'health_system_paused' } });
    expect(await scene.report(connection, collecting)).toMatchObject({
      status: 409,
      body: { error_code: 'health_system_paused' },
    });
    expect((await scene.connections())[0]).toMatchObject({ status: 'collecting', progress: { collected: 1 } });

    await scene.queue.remove(connection.collection_id);
    await due(id);
    await enqueueDueCollections(source, queue);
    expect(await scene.queue.getJob(connection.collection_id)).toBeUndefined();
    expect(await run('paused')).toMatch(/ collections: 1 {2}they asked for it$/);

    await run('resume', host());
    await enqueueDueCollections(source, queue);
    expect(await scene.queue.getJob(connection.collection_id)).toBeDefined();
    expect((await scene.accessToken(id)).status).toBe(200);
    expect((await scene.forCollection(id)).is_paused).toBeUndefined();
    expect((await scene.report(connection, collecting)).status).toBe(200);
  });

  it('begins no scheduled collection, and takes the end of one that has completed meanwhile', async () => {
    const connection = await scene.connected();
    await pause();
    expect((await scene.report(connection, { state: 'completed', types: [] })).status).toBe(200);
    await scene.service.sql('UPDATE connection SET next_collection_at = now() WHERE connection_id = $1', [
      connection.connection_id,
    ]);
    await enqueueDueCollections(source, queue);
    expect((await scene.connections())[0]).toMatchObject({ status: 'active' });
    await run('resume', host());
    await enqueueDueCollections(source, queue);
    expect((await scene.connections())[0]).toMatchObject({ status: 'collecting' });
  });

  it('continues a collection that waited to be retried, and does not count the pause as failures', async () => {
    const connection = await scene.connected();
    await scene.report(connection, { state: 'failed', failure: 'transient', types: [] });
    await pause();
    await scene.service.sql(
      `UPDATE connection SET failing_since = now() - interval '8 days' WHERE connection_id = $1`,
      [connection.connection_id],
    );
    await run('resume', host());
    expect((await scene.connections())[0]?.retry_at).toBeUndefined();
    await scene.report(connection, { state: 'failed', failure: 'transient', types: [] });
    expect((await scene.connections())[0]).toMatchObject({ status: 'collecting' });
  });

  it('sends a user who connects back with system_unavailable, and sends the health system nothing', async () => {
    await pause();
    expect((await scene.connect()).searchParams.get('error')).toBe('system_unavailable');
    const { discoveries, authorizations } = scene.at.system;
    expect([discoveries, authorizations]).toEqual([0, []]);
    await run('resume', host());
    expect((await scene.connect()).searchParams.get('success')).toBe('true');
  });

  it('does not exchange the code of a user who returns during the pause', async () => {
    const browser = new Browser(scene.service.app, baseUrl);
    const atHealthSystem = await browser.follow(connectUrl(scene.person, scene.at.id), []);
    await pause();
    const end = await browser.follow(atHealthSystem.href, [scene.at.system.url]);
    expect(end.searchParams.get('error')).toBe('system_unavailable');
    expect([scene.at.system.authorizations.length, scene.at.system.tokenRequests]).toEqual([1, []]);
  });

  it('holds the revocation of tokens back', async () => {
    const { connection_id } = await scene.connected();
    await pause();
    await scene.own('delete', `/${connection_id}`);
    const leased = async (): Promise<number> =>
      (await leaseRevocations(source, opened.keys, 100)).filter(({ fhirBaseUrl }) => fhirBaseUrl.includes(host()))
        .length;
    expect(await leased()).toBe(0);
    await run('resume', host());
    expect(await leased()).toBe(1);
  });

  it('concerns connections whose token endpoint is on the host, and no others', async () => {
    const { connection_id } = await scene.connected();
    const pausedWith = async (url: string): Promise<true | undefined> => {
      await scene.service.sql('UPDATE health_system_grant SET token_endpoint = $1', [url]);
      return (await scene.forCollection(connection_id)).is_paused;
    };
    await run('pause', 'Auth.Example.org:443', '--reason', 'maintenance');
    expect(JSON.parse(await run('paused', '--json'))).toMatchObject({
      entry: [{ host: 'auth.example.org', reason: 'maintenance', waiting: 0 }],
    });
    for (const url of ['https://auth.example.org/token', 'https://AUTH.example.org:443/token'])
      expect(await pausedWith(url)).toBe(true);
    for (const url of [
      'https://auth.example.org.example.net/token',
      'https://auth.example.org:8443/token',
      'http://auth.example.org:443/token',
      'https://example.net/auth.example.org',
    ])
      expect(await pausedWith(url)).toBeUndefined();
  });

  it('replaces the reason of a host that is paused, and resumes it once', async () => {
    await pause();
    await run('pause', host(), '--reason', 'still');
    expect(JSON.parse(await run('paused', '--json'))).toMatchObject({ entry: [{ host: host(), reason: 'still' }] });
    expect(JSON.parse(await run('resume', host(), '--json'))).toEqual({ resumed: [host()] });
    await expect(run('resume', host())).rejects.toThrow('this host is not paused');
  });

  it.each([
    [['pause', 'fhir.example.org'], "required option '--reason <reason>' not specified"],
    [['pause', 'fhir.example.org', '--reason', ' '], 'It must have 1 to 200 characters'],
    [['pause', 'https://fhir.example.org/r4', '--reason', 'x'], 'It must be a host, host:port or the id'],
    [['resume', 'a b'], 'It must be a host, host:port or the id'],
    [['pause', '1', '--reason', 'x'], 'an id needs SEARCH_INTERNAL_URL'],
  ])('refuses %j', async (words, message) => {
    const { SEARCH_INTERNAL_URL: _, ...environment } = scene.service.environment;
    await expect(
      admin({ ...scene.service, environment: environment as Record<string, string> }, 'health-system', ...words),
    ).rejects.toThrow(message);
  });
});
