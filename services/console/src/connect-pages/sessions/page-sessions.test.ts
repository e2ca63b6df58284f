import { openRedis, untilReady } from '@tributary/service-kit';
import { testRedis, waitUntil } from '@tributary/test-environment';
import { pino } from 'pino';
import { PageSessions } from './page-sessions';

const session = {
  clientId: 'client',
  serviceUserId: 7,
  accessToken: 'the-token-of-the-user',
  redirectUri: 'https://app.example/back',
  state: 's',
};

describe('page sessions', () => {
  const redis = openRedis(testRedis().url, pino({ level: 'silent' }));
  const sessions = new PageSessions(redis);
  beforeAll(() => untilReady(redis));
  afterAll(() => redis.disconnect());

  it('are found by the id and the secret of the browser, also by another replica', async () => {
    const key = await sessions.create(session, 60);
    expect(await new PageSessions(redis).find(key)).toEqual(session);
    expect(await sessions.find({ ...key, secret: 'another' })).toBeUndefined();
    expect(await sessions.find({ ...key, id: 'another' })).toBeUndefined();
  });

  it('cannot be read in Redis', async () => {
    const key = await sessions.create(session, 60);
    const names = await redis.keys('connect-page:*');
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(name).not.toContain(key.secret);
    await sessions.addMade(key, [{ connectionId: 'a-connection', healthSystemId: 5 }]);
    const ticket = await sessions.createTicket(key);
    expect(await sessions.findTicket(ticket)).toEqual(key);
    const stored = await Promise.all(
      (await redis.keys('connect-page:*')).map(async (name) =>
        name.endsWith(':made') ? redis.lrangeBuffer(name, 0, -1) : [(await redis.getBuffer(name)) ?? Buffer.alloc(0)],
      ),
    );
    const text = Buffer.concat(stored.flat()).toString('latin1');
    for (const secret of [session.accessToken, 'a-connection', key.secret]) expect(text).not.toContain(secret);
  });

  it('end with the access token', async () => {
    const key = await sessions.create(session, 1);
    await waitUntil(async () => (await sessions.find(key)) === undefined);
  });

  it('remember every connection, also those of two tabs at the same time', async () => {
    const key = await sessions.create(session, 60);
    expect(await sessions.made(key)).toEqual([]);
    const made = [1, 2, 3].map((healthSystemId) => ({ connectionId: `c${healthSystemId}`, healthSystemId }));
    await Promise.all(made.map((one) => sessions.addMade(key, [one])));
    expect(await sessions.made(key)).toEqual(expect.arrayContaining(made));
    expect(await sessions.made({ ...key, secret: 'another' })).toEqual([]);
  });
});
