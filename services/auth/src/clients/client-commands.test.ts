import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenRevocation, tokenRevocationChannel } from '@tributary/contracts';
import { testRedis } from '@tributary/test-environment';
import { Redis } from 'ioredis';
import type { Test } from 'supertest';
import { AuthUnderTest, anyUser } from '../../test/auth-under-test';
import { OperatorCommands } from '../../test/operator-commands';
import { asserting, assertion, keySetOf, signingKey } from '../../test/signing-client';

const strongSecret = randomBytes(32).toString('base64url');

describe("the operator's commands", () => {
  let auth: AuthUnderTest;
  const folder = mkdtempSync(join(tmpdir(), 'client-commands-'));
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    return auth.stop();
  });

  const commands = new OperatorCommands(() => auth);
  const { acted, forgotten } = commands;
  beforeEach(() => commands.reset());

  function file(content: unknown): string {
    const path = join(folder, `${randomUUID()}.json`);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  const { run, runIn, create } = commands;

  it('create a client with new credentials, which then work', async () => {
    const created = JSON.parse(
      await create(
        '--redirect-uri',
        'http://localhost:3000/cb',
        '--redirect-uri',
        'http://localhost:3000/cb',
        '--json',
      ),
    );
    expect(created).toEqual({
      client_id: expect.stringMatching(/^test_[0-9a-f]{24}$/),
      client_secret: expect.stringMatching(/^test_secret_[A-Za-z0-9_-]{43}$/),
      name: 'Diary',
      mode: 'test',
      people: 'one',
      redirect_uris: ['https://diary.example.org/back', 'http://localhost:3000/cb'],
    });
    expect(await auth.clients.authenticate(created.client_id, created.client_secret)).toMatchObject({ name: 'Diary' });
    expect(acted).toEqual([{ clientId: created.client_id }]);
  });

  it.each([['set', '--consent-days', '3'], ['rotate-secret'], ['set-jwks', '--none'], ['disable'], ['enable']])(
    'record on which client %s acts, before it acts',
    async (verb, ...options) => {
      const { client_id } = await auth.client();
      await run('client', verb, client_id, ...options);
      expect(acted).toEqual([{ clientId: client_id }]);
    },
  );

  it('create a live client, whose mode cannot be changed', async () => {
    const created = JSON.parse(await create('--mode', 'live', '--json'));
    expect(created).toMatchObject({
      client_id: expect.stringMatching(/^live_[0-9a-f]{24}$/),
      client_secret: expect.stringMatching(/^live_secret_[A-Za-z0-9_-]{43}$/),
      mode: 'live',
    });
    expect(await auth.clients.find(created.client_id)).toMatchObject({ mode: 'live' });
    const { client_secret } = JSON.parse(await run('client', 'rotate-secret', created.client_id, '--json'));
    expect(client_secret).toMatch(/^live_secret_/);
    const again = ['--client-id', created.client_id, '--client-secret', client_secret];
    await expect(create(...again)).rejects.toThrow('this client is a live client');
    expect(await auth.clients.find(created.client_id)).toMatchObject({ mode: 'live' });
    await expect(create('--mode', 'both')).rejects.toThrow('Allowed choices are test, live');
  });

  it('print text without --json', async () => {
    const text = await create();
    expect(text).toMatch(
      /^name {11}Diary\nclient_id {6}test_[0-9a-f]{24}\nmode {11}test\nclient_secret {2}test_secret_[\w-]{43}\npeople {9}one\nredirect_uri {3}https:\/\/diary/,
    );
  });

  it('create a client with given credentials, and update it when run again', async () => {
    const given = ['--client-id', 'demo', '--client-secret', strongSecret, '--json'];
    const first = JSON.parse(await create(...given));
    expect(first).toMatchObject({ client_id: 'demo', client_secret: strongSecret });
    await run('client', 'create', '--name', 'Demo', '--redirect-uri', 'http://127.0.0.1:5000/cb', ...given);
    expect(await auth.clients.find('demo')).toEqual({
      client_id: 'demo',
      name: 'Demo',
      mode: 'test',
      redirect_uris: ['http://127.0.0.1:5000/cb'],
      people: 'one',
    });
    const otherSecret = randomBytes(32).toString('base64url');
    await expect(create('--client-id', 'demo', '--client-secret', otherSecret)).rejects.toThrow('taken');
    expect(await auth.clients.authenticate('demo', strongSecret)).toMatchObject({ name: 'Demo' });
    const atOnce = ['--client-id', 'racing', '--client-secret', strongSecret, '--json'];
    expect(new Set(await Promise.all([create(...atOnce), create(...atOnce)])).size).toBe(1);
  });

  it('list clients without their secrets', async () => {
    const secret = JSON.parse(await create('--json')).client_secret as string;
    const json = await run('client', 'list', '--json');
    const [first] = JSON.parse(json) as object[];
    expect(Object.keys(first!)).toEqual(['client_id', 'name', 'mode', 'redirect_uris', 'people', 'created_at']);
    expect(json + (await run('client', 'list'))).not.toContain(secret);
  });

  it('rotate a secret, and the old one stops working at once', async () => {
    const created = JSON.parse(await create('--json'));
    const rotated = JSON.parse(await run('client', 'rotate-secret', created.client_id, '--json'));
    expect(rotated).toEqual({ ...created, client_secret: expect.stringMatching(/^test_secret_[\w-]{43}$/) });
    expect(await auth.clients.authenticate(created.client_id, created.client_secret)).toBeUndefined();
    expect(await auth.clients.authenticate(created.client_id, rotated.client_secret)).toMatchObject({
      client_id: created.client_id,
    });
    await expect(run('client', 'rotate-secret', 'nobody')).rejects.toThrow('no such client');
    expect(forgotten).toEqual([created.client_id]);
  });

  it('rotate a secret with an overlap, in which both work', async () => {
    const { client_id, client_secret: first } = await auth.client();
    const rotate = async (
      ...options: string[]
    ): Promise<{ client_secret: string; previous_secret_expires_at?: string }> =>
      JSON.parse(await run('client', 'rotate-secret', client_id, '--json', ...options));
    const works = (...secrets: string[]): Promise<boolean[]> =>
      Promise.all(secrets.map(async (secret) => (await auth.clients.authenticate(client_id, secret)) !== undefined));
    const { client_secret: second, previous_secret_expires_at: until = '' } = await rotate('--overlap-hours', '24');
    expect(Math.abs(new Date(until).getTime() - Date.now() - 86_400_000)).toBeLessThan(60_000);
    expect(await works(first, second)).toEqual([true, true]);
    const { client_secret: third } = await rotate('--overlap-hours', '1');
    expect(await works(first, second, third)).toEqual([false, true, true]);
    await auth.pool.query(
      `UPDATE client_application SET previous_secret_expires_at = now() - interval '1 second' WHERE client_id = $1`,
      [client_id],
    );
    expect(await works(second, third)).toEqual([false, true]);
    const { client_secret: fourth } = await rotate();
    expect(await works(third, fourth)).toEqual([false, true]);
    await expect(rotate('--overlap-hours', '721')).rejects.toThrow('It must be a number of hours from 0 to 720.');
  });

  it('change the name and the redirect URIs', async () => {
    const { client_id } = await auth.client();
    const changed = await run(
      'client',
      'set',
      client_id,
      '--name',
      'Journal',
      '--redirect-uri',
      'https://journal.example.org/a',
      '--redirect-uri',
      'org.example.journal:/b',
      '--json',
    );
    expect(JSON.parse(changed)).toMatchObject({
      name: 'Journal',
      redirect_uris: ['https://journal.example.org/a', 'org.example.journal:/b'],
    });
    expect(JSON.parse(await run('client', 'set', client_id, '--name', 'Log', '--json'))).toMatchObject({
      name: 'Log',
      redirect_uris: ['https://journal.example.org/a', 'org.example.journal:/b'],
    });
    await expect(run('client', 'set', client_id, '--name', 'Ev\u202eil')).rejects.toThrow('control characters');
    await expect(run('client', 'set', client_id, '--redirect-uri', 'http://app.example.org')).rejects.toThrow(
      'must be https',
    );
  });

  it('delete a client by its name: it stops working at once, and for good', async () => {
    const { client_id, client_secret } = await auth.client('Doomed');
    const remove = (name: string): Promise<string> => run('client', 'delete', client_id, '--confirm', name);
    await expect(remove('Other')).rejects.toThrow('--confirm is not the name of this client, which is Doomed');
    expect(await auth.clients.authenticate(client_id, client_secret)).toMatchObject({ name: 'Doomed' });
    await expect(run('client', 'delete', client_id)).rejects.toThrow('--confirm');
    await expect(run('client', 'delete', 'nobody', '--confirm', 'x')).rejects.toThrow('no such client');
    expect(await remove('Doomed')).toMatch(/\ndisabled_at .*\ndeletion_at /);
    expect(await auth.clients.authenticate(client_id, client_secret)).toBe('disabled');
    expect(await run('client', 'list')).toMatch(new RegExp(`${client_id}.*to be deleted from`));
    await run('client', 'enable', client_id);
    expect(await auth.clients.authenticate(client_id, client_secret)).toMatchObject({ name: 'Doomed' });
    await remove('Doomed');
    // Requests of the client that are in progress end before its users are deleted.
    expect(await auth.clients.findDeleting()).not.toContain(client_id);
    await auth.pool.query(`UPDATE client_application SET deletion_at = now() WHERE client_id = $1`, [client_id]);
    expect(await auth.clients.findDeleting()).toContain(client_id);
    await expect(run('client', 'enable', client_id)).rejects.toThrow('this client is being deleted');
    expect(await auth.clients.authenticate(client_id, client_secret)).toBe('disabled');
  });

  it('disable a client: its credentials, codes and tokens stop working, until it is enabled', async () => {
    const key = signingKey('ES384');
    const client = await auth.client('Suspended', { jwks: keySetOf(key) });
    const neighbour = await auth.client('Neighbour');
    const [user, code, tokens, others] = [
      anyUser(),
      await auth.code(client, anyUser()),
      await auth.tokens(client),
      await auth.tokens(neighbour),
    ];
    const systemToken = (): Test =>
      auth.post('/oauth2/token', {
        grant_type: 'client_credentials',
        scope: 'system/*.read',
        ...asserting(assertion(client.client_id, key)),
      });
    const { access_token: ofSystem } = (await systemToken().expect(200)).body as { access_token: string };
    const active = (): Promise<boolean[]> =>
      Promise.all([tokens.access_token, ofSystem, others.access_token].map((token) => auth.isActive(token)));
    const codeFor = () =>
      auth.internal('post', '/internal/v1/codes', { client_id: client.client_id, service_user_id: user });
    expect(await active()).toEqual([true, true, true]);

    const [disabled, again] = [
      await run('client', 'disable', client.client_id, '--json'),
      await run('client', 'disable', client.client_id, '--json'),
    ];
    expect(JSON.parse(disabled)).toMatchObject({ client_id: client.client_id, disabled_at: expect.any(String) });
    expect(again).toBe(disabled);
    expect(await active()).toEqual([false, false, true]);
    for (const replica of [0, 1])
      expect((await auth.refresh(client, tokens.refresh_token, replica)).body).toMatchObject({
        error: 'invalid_client',
      });
    expect((await auth.exchange(client, code)).body).toMatchObject({ error: 'invalid_client' });
    expect((await systemToken()).body).toMatchObject({ error: 'invalid_client' });
    expect((await codeFor()).body).toMatchObject({ error_code: 'client_not_found' });
    expect((await auth.internal('get', `/internal/v1/clients/${client.client_id}`)).status).toBe(404);
    expect(await run('client', 'list')).toMatch(/Suspended .*disabled since 20/);
    expect(forgotten).toEqual([]);

    expect(await run('client', 'enable', client.client_id)).not.toContain('disabled');
    expect(forgotten).toEqual([client.client_id]);
    expect(await active()).toEqual([true, true, true]);
    expect((await auth.refresh(client, tokens.refresh_token)).status).toBe(200);
    expect((await auth.exchange(client, code)).status).toBe(200);
    expect((await codeFor()).status).toBe(200);
    for (const command of ['disable', 'enable'])
      await expect(run('client', command, 'nobody')).rejects.toThrow('no such client');
  });

  it('publish that the tokens of a disabled client have stopped working', async () => {
    const client = await auth.client();
    const subscriber = new Redis(testRedis().url);
    try {
      await subscriber.subscribe(tokenRevocationChannel);
      const published = new Promise<void>((resolve) => {
        subscriber.on('message', (_channel: string, message: string) => {
          const revocation = tokenRevocation.parse(JSON.parse(message));
          if ('client_id' in revocation && revocation.client_id === client.client_id) resolve();
        });
      });
      await run('client', 'disable', client.client_id);
      await published;
    } finally {
      subscriber.disconnect();
    }
  });

  it('register the keys of a client, as a key set or as a URL', async () => {
    const [one, two] = [keySetOf(signingKey('ES384')), keySetOf(signingKey('ES384'), signingKey('RS384'))];
    const created = JSON.parse(await create('--jwks', file(one), '--json'));
    expect(created).toMatchObject({ client_secret: expect.any(String), jwks: one });
    expect(await auth.clients.findKeys(created.client_id)).toEqual({ jwks: one });
    expect(JSON.parse(await run('client', 'set-jwks', created.client_id, '--jwks', file(two), '--json'))).toEqual({
      client_id: created.client_id,
      name: 'Diary',
      mode: 'test',
      redirect_uris: ['https://diary.example.org/back'],
      people: 'one',
      jwks: two,
    });
    expect(
      await run('client', 'set-jwks', created.client_id, '--jwks-url', 'https://diary.example.org/jwks.json'),
    ).toMatch(/\njwks_url {7}https:\/\/diary\.example\.org\/jwks\.json$/);
    expect(await auth.clients.findKeys(created.client_id)).toEqual({ jwks_url: 'https://diary.example.org/jwks.json' });
    expect(JSON.parse(await run('client', 'list', '--json'))).toContainEqual(
      expect.objectContaining({ client_id: created.client_id, jwks_url: 'https://diary.example.org/jwks.json' }),
    );
    expect(await run('client', 'set-jwks', created.client_id, '--none')).not.toContain('jwks');
    expect(await auth.clients.findKeys(created.client_id)).toBeUndefined();
    expect(await auth.clients.authenticate(created.client_id, created.client_secret)).toBeDefined();
    expect(await create('--jwks', file(two))).toContain('jwks           2 keys');
  });

  it('keep the keys of a client that is created again without keys', async () => {
    const given = ['--client-id', 'with-keys', '--client-secret', strongSecret];
    await create(...given, '--jwks-url', 'https://diary.example.org/jwks.json');
    await create(...given);
    expect(await auth.clients.findKeys('with-keys')).toEqual({ jwks_url: 'https://diary.example.org/jwks.json' });
    const keys = keySetOf(signingKey('ES384'));
    await create(...given, '--jwks', file(keys));
    expect(await auth.clients.findKeys('with-keys')).toEqual({ jwks: keys });
  });

  it('accept JWKS URLs on http and on private addresses in the sandbox only', async () => {
    const { client_id: id } = JSON.parse(await create('--json'));
    for (const url of ['http://localhost:9/jwks.json', 'https://127.0.0.1/jwks.json']) {
      await expect(run('client', 'set-jwks', id, '--jwks-url', url)).rejects.toThrow('refused');
      expect(JSON.parse(await runIn(true, ['client', 'set-jwks', id, '--jwks-url', url, '--json']))).toMatchObject({
        jwks_url: url,
      });
    }
    for (const url of ['file:///etc/hosts', 'jwks.json'])
      await expect(runIn(true, ['client', 'set-jwks', id, '--jwks-url', url])).rejects.toThrow('--jwks-url');
  });

  it('refuse key sets that are malformed, private or missing', async () => {
    const { client_id: id } = JSON.parse(await create('--json'));
    const set = (...words: string[]): Promise<string> => run('client', 'set-jwks', id, ...words);
    const { privateKey, jwk } = signingKey('ES384');
    await expect(set('--jwks', file({ keys: [{ ...jwk, ...privateKey.export({ format: 'jwk' }) }] }))).rejects.toThrow(
      'private',
    );
    await expect(set('--jwks', file({ keys: [] }))).rejects.toThrow('no key');
    await expect(set('--jwks', file('keys'))).rejects.toThrow('JSON');
    await expect(set('--jwks', join(folder, 'nowhere'))).rejects.toThrow('cannot be read');
    await expect(set('--jwks', file({ keys: [jwk] }), '--jwks-url', 'https://a.example/')).rejects.toThrow(
      'cannot be used with',
    );
    await expect(set()).rejects.toThrow('give one of');
    await expect(set('--none', '--jwks-url', 'https://a.example/')).rejects.toThrow('give one of');
    await expect(run('client', 'set-jwks', 'nobody', '--none')).rejects.toThrow('no such client');
  });

  it.each([
    ['a name missing', ['--redirect-uri', 'https://a.example/'], '--name'],
    ['a redirect_uri missing', ['--name', 'A'], '--redirect-uri'],
    ['an empty name', ['--name', ' ', '--redirect-uri', 'https://a.example/'], '1 to 200'],
    [
      'an id without a secret',
      ['--name', 'A', '--redirect-uri', 'https://a.example/', '--client-id', 'a'],
      'go together',
    ],
    [
      'a weak secret',
      ['--name', 'A', '--redirect-uri', 'https://a.example/', '--client-id', 'a', '--client-secret', 'secret'],
      '32 to 128',
    ],
    [
      'a secret of one letter',
      ['--name', 'A', '--redirect-uri', 'https://a.example/', '--client-id', 'a', '--client-secret', 'a'.repeat(32)],
      'has fewer than 6 different characters',
    ],
    [
      'a secret of words',
      [
        '--name',
        'A',
        '--redirect-uri',
        'https://a.example/',
        '--client-id',
        'a',
        '--client-secret',
        'secret'.repeat(6),
      ],
      'is made of common words',
    ],
    [
      'dots for an id',
      ['--name', 'A', '--redirect-uri', 'https://a.example/', '--client-id', '..', '--client-secret', strongSecret],
      '1 to 128',
    ],
    [
      'an odd id',
      ['--name', 'A', '--redirect-uri', 'https://a.example/', '--client-id', 'a:b', '--client-secret', strongSecret],
      '1 to 128',
    ],
  ])('refuse %s', async (_case, words, complaint) => {
    await expect(run('client', 'create', ...words)).rejects.toThrow(complaint);
  });
});
