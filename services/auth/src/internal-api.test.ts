import { AddressInfo } from 'node:net';
import { type Server, createServer } from 'node:http';
import { once } from 'node:events';
import { AuthClient, InternalCallError, InternalHttp, OperatorClientsClient } from '@tributary/contracts';
import request from 'supertest';
import { AuthUnderTest, anyUser, callingService, consoleService } from '../test/auth-under-test';
import type { ClientWithSecret } from './clients/client-applications';

/** The id of an organisation. */
const organisation = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

describe('the internal API', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  let server: Server;
  let caller: AuthClient;
  let fromConsole: AuthClient;
  let operators: OperatorClientsClient;
  let stranger: AuthClient;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client('Diary');
    server = createServer(auth.replicas[0]!.internalApp).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    caller = new AuthClient(
      new InternalHttp({ service: 'auth', baseUrl, caller: callingService.name, key: callingService.key }),
    );
    fromConsole = new AuthClient(
      new InternalHttp({ service: 'auth', baseUrl, caller: consoleService.name, key: consoleService.key }),
    );
    operators = new OperatorClientsClient(
      new InternalHttp({ service: 'auth', baseUrl, caller: consoleService.name, key: consoleService.key }),
    );
    stranger = new AuthClient(
      new InternalHttp({ service: 'auth', baseUrl, caller: callingService.name, key: 'another key than that' }),
    );
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await auth.stop();
  });

  it('authenticates a client, and returns it by its id', async () => {
    const { client_secret, ...application } = client;
    expect(await caller.authenticateClient({ client_id: client.client_id, client_secret })).toEqual(application);
    expect(await caller.findClient(client.client_id)).toEqual(application);
    for (const wrong of ['', `${client_secret} `, client_secret.slice(1), 'x\u0000']) {
      expect(await caller.authenticateClient({ client_id: client.client_id, client_secret: wrong })).toBeUndefined();
      expect(await caller.authenticateClient({ client_id: wrong, client_secret })).toBeUndefined();
    }
    await auth.clients.disable(client.client_id);
    expect(await caller.authenticateClient({ client_id: client.client_id, client_secret })).toBe('disabled');
    expect(await caller.authenticateClient({ client_id: client.client_id, client_secret: 'wrong' })).toBeUndefined();
    expect(await caller.findClient(client.client_id)).toBeUndefined();
    await auth.clients.enable(client.client_id);
    expect(await caller.findClient('nobody')).toBeUndefined();
    expect(await caller.findClient('a/b\u0000')).toBeUndefined();
  });

  it('returns the logo of a client by its id only, and its frame origins always', async () => {
    const { client_id, client_secret } = await auth.client('With a logo');
    const frameOrigins = ['https://app.example.org'];
    await auth.clients.set(client_id, { logo: 'data:image/png;base64,iVBORw==', frameOrigins });
    expect(await caller.findClient(client_id)).toMatchObject({
      logo: 'data:image/png;base64,iVBORw==',
      frame_origins: frameOrigins,
    });
    const authenticated = await caller.authenticateClient({ client_id, client_secret });
    expect(authenticated).toMatchObject({ name: 'With a logo', frame_origins: frameOrigins });
    expect(authenticated).not.toHaveProperty('logo');
  });

  it('issues codes, introspects their tokens, and revokes them', async () => {
    const user = anyUser();
    const issued = await caller.issueCode(client.client_id, user);
    expect(issued).toEqual({ code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), expires_in: 600 });
    const before = Math.floor(Date.now() / 1000);
    const { body: tokens } = await auth.exchange(client, issued.code);
    const after = Math.ceil(Date.now() / 1000);
    const [live] = await caller.introspect([tokens.access_token]);
    expect(live).toEqual({
      active: true,
      client_id: client.client_id,
      service_user_id: user,
      mode: 'test',
      scope: 'user',
      expires_at: expect.any(Number),
    });
    const issuedAt = (live?.active ? live.expires_at : 0) - 7200;
    expect([issuedAt >= before, issuedAt <= after]).toEqual([true, true]);
    const all = [tokens.refresh_token, tokens.access_token, issued.code, 'unknown', tokens.access_token];
    expect((await caller.introspect(all)).map(({ active }) => active)).toEqual([false, true, false, false, true]);
    await caller.revokeTokensOfUser(user);
    expect(await caller.introspect([tokens.access_token])).toEqual([{ active: false }]);
  });

  it('issues access tokens without a code, which end as others do', async () => {
    const user = anyUser();
    const token = await caller.issueAccessToken(client.client_id, user);
    const [live] = await caller.introspect([token]);
    expect(live).toMatchObject({ active: true, client_id: client.client_id, service_user_id: user, scope: 'user' });
    const left = (live?.active ? live.expires_at : 0) - Date.now() / 1000;
    expect([left > 7190, left < 7201]).toEqual([true, true]);
    // Nothing of the family is left when its only token has ended.
    const { rows } = await auth.pool.query(
      'SELECT expires_at = ends_at AS ends, refresh_sha256 FROM token_family WHERE service_user_id = $1',
      [user],
    );
    expect(rows).toEqual([{ ends: true, refresh_sha256: null }]);
    await caller.revokeTokensOfUser(user);
    expect(await caller.introspect([token])).toEqual([{ active: false }]);
    await expect(caller.issueAccessToken('nobody', 1)).rejects.toMatchObject({ errorCode: 'client_not_found' });
    await auth.clients.disable(client.client_id);
    await expect(caller.issueAccessToken(client.client_id, user)).rejects.toMatchObject({ status: 404 });
    await auth.clients.enable(client.client_id);
  });

  it('keeps the precision of the largest user id', async () => {
    const { body } = await auth.exchange(
      client,
      (await caller.issueCode(client.client_id, Number.MAX_SAFE_INTEGER)).code,
    );
    expect(await caller.introspect([body.access_token])).toMatchObject([{ service_user_id: Number.MAX_SAFE_INTEGER }]);
  });

  it('issues no code for an unknown client', async () => {
    await expect(caller.issueCode('nobody', 1)).rejects.toMatchObject({ status: 404, errorCode: 'client_not_found' });
  });

  it('lists and reads all clients for operators, in pages, newest first', async () => {
    const made: string[] = [];
    for (let n = 0; n < 55; n++) made.unshift((await auth.client(`Paged ${n}`)).client_id);
    const first = await operators.list({ text: 'pAGED' });
    const second = await operators.list({ text: 'pAGED', after: first.next });
    expect([...first.entry, ...second.entry].map(({ client_id }) => client_id)).toEqual(made);
    expect([first.entry.length, second.next]).toEqual([50, undefined]);
    expect(JSON.stringify(first)).not.toContain('secret');
    expect((await operators.list({ text: made[3]!, mode: 'test', state: 'active' })).entry).toEqual([
      await operators.find(made[3]!),
    ]);
    expect((await operators.list({ text: 'paged', mode: 'live' })).entry).toEqual([]);
    expect(await operators.find('nobody')).toBeUndefined();
  });

  it('disables and enables clients for operators, as the commands do', async () => {
    const { client_id: id, ...made } = await auth.client('Disabled');
    const operator = organisation(9);
    const disabled = await operators.setDisabled(id, { disabled: true, operator });
    expect(disabled?.disabled_at).toEqual(expect.any(String));
    expect(await caller.authenticateClient({ client_id: id, client_secret: made.client_secret })).toBe('disabled');
    expect((await operators.list({ text: 'Disabled', state: 'disabled' })).entry).toEqual([disabled]);
    expect(auth.audit.events).toContainEqual(
      expect.objectContaining({ kind: 'client.changed', agent: { service: 'console', clientId: id, operator } }),
    );
    expect((await operators.setDisabled(id, { disabled: false, operator }))?.disabled_at).toBeUndefined();
    await auth.clients.disable(id);
    // Another operator disables it at the same time.
    await auth.pool.query(
      `CREATE FUNCTION disable_again() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN new.disabled_at := now(); RETURN new; END $$;
       CREATE TRIGGER disable_again BEFORE UPDATE ON client_application FOR EACH ROW EXECUTE FUNCTION disable_again()`,
    );
    expect((await operators.setDisabled(id, { disabled: false, operator }))?.disabled_at).toEqual(expect.any(String));
    await auth.pool.query('DROP FUNCTION disable_again CASCADE');
    await auth.clients.deleteLater(id, 0);
    expect((await operators.list({ state: 'deleting' })).entry.map(({ client_id }) => client_id)).toEqual([id]);
    await expect(operators.setDisabled(id, { disabled: false, operator })).rejects.toMatchObject({
      errorCode: 'client_being_deleted',
    });
    expect(await operators.setDisabled('nobody', { disabled: true, operator })).toBeUndefined();
  });

  it('creates clients of an organisation, and lists them with those that are disabled', async () => {
    const registration = {
      organisation_id: organisation(71),
      mode: 'live',
      redirect_uris: ['https://a.example/back'],
    } as const;
    const { client_secret, ...first } = await fromConsole.createClient({
      ...registration,
      name: 'First',
      developer: 'jane-1',
    });
    expect(first).toEqual({
      ...registration,
      client_id: expect.stringMatching(/^live_[0-9a-f]{24}$/),
      name: 'First',
      people: 'one',
    });
    expect(client_secret).toMatch(/^live_secret_/);
    expect(await caller.authenticateClient({ client_id: first.client_id, client_secret })).toMatchObject({
      name: 'First',
    });
    expect(auth.audit.events).toContainEqual(
      expect.objectContaining({
        kind: 'client.created',
        action: 'C',
        status: 201,
        agent: { service: 'console', clientId: first.client_id, developer: 'jane-1' },
      }),
    );
    const second = await fromConsole.createClient({ ...registration, name: 'Second' });
    await fromConsole.createClient({ ...registration, organisation_id: organisation(72), name: 'Of others' });
    await auth.clients.disable(second.client_id);
    expect(await fromConsole.clientsOfOrganisation(organisation(71))).toEqual([
      { ...first, created_at: expect.any(String) },
      expect.objectContaining({ client_id: second.client_id, disabled_at: expect.any(String) }),
    ]);
    expect(await fromConsole.clientsOfOrganisation(organisation(73))).toEqual([]);
    expect(await fromConsole.findClient(first.client_id)).toEqual(first);
    expect((await auth.internal('get', `/internal/v1/clients/${client.client_id}`)).body).not.toHaveProperty(
      'organisation_id',
    );
  });

  it('creates no client of bad input, nor one too many of an organisation', async () => {
    const registration = {
      organisation_id: organisation(80),
      mode: 'test',
      name: 'A',
      redirect_uris: ['https://a.example/'],
    } as const;
    for (const [change, reason] of [
      [{ redirect_uris: ['http://a.example/'] }, 'redirect_uris.0: must be https'],
      [{ redirect_uris: [] }, 'redirect_uris: must have at least 1 item'],
      [{ name: '' }, 'name: must have 1 to 200 characters'],
      [{ organisation_id: 'acme' }, 'organisation_id: must be a UUID'],
      [{ developer: 'a b' }, 'developer: must have 1 to 64 letters'],
      [{ client_id: 'chosen' }, 'client_id is an unknown parameter'],
    ] as const)
      await expect(fromConsole.createClient({ ...registration, ...change })).rejects.toMatchObject({
        status: 400,
        errorCode: 'invalid_request',
        reason: expect.stringContaining(reason),
      });
    const missing = await auth.internal('get', '/internal/v1/clients', undefined, consoleService);
    expect([missing.status, missing.body.error]).toEqual([400, 'organisation_id is missing']);
    await auth.pool.query(
      `INSERT INTO client_application (client_id, name, mode, secret_sha256, redirect_uris, organisation_id)
       SELECT 'many-' || n, 'A', 'test', sha256(n::text::bytea), '{https://a.example/}', $1 FROM generate_series(1, 98) AS n`,
      [organisation(80)],
    );
    const created = await Promise.allSettled([1, 2, 3, 4].map(() => fromConsole.createClient(registration)));
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(created.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { status: 409, errorCode: 'too_many_clients', reason: 'an organisation can have 100 clients' },
    });
    expect(await fromConsole.clientsOfOrganisation(organisation(80))).toHaveLength(100);
    await expect(auth.clients.set(client.client_id, { organisation: organisation(80) })).rejects.toThrow(
      'can have 100 clients',
    );
    expect(await auth.clients.set('many-1', { name: 'B', organisation: organisation(80) })).toMatchObject({
      name: 'B',
    });
  });

  it('creates and lists clients, and issues temporary secrets, for the console only', async () => {
    const registration = {
      organisation_id: organisation(71),
      mode: 'test',
      name: 'A',
      redirect_uris: ['https://a.example/'],
    } as const;
    for (const refused of [
      caller.createClient(registration),
      caller.clientsOfOrganisation(organisation(71)),
      caller.createTemporarySecret(client.client_id, 'jane-1'),
    ])
      await expect(refused).rejects.toMatchObject({ status: 403, errorCode: 'caller_not_allowed' });
  });

  it('requires a service key', async () => {
    await expect(stranger.findClient(client.client_id)).rejects.toThrow(InternalCallError);
    await expect(stranger.authenticateClient(client)).rejects.toThrow(InternalCallError);
    await expect(stranger.introspect(['x'])).rejects.toThrow(InternalCallError);
    await expect(stranger.issueCode(client.client_id, 1)).rejects.toThrow(InternalCallError);
    await expect(stranger.issueAccessToken(client.client_id, 1)).rejects.toThrow(InternalCallError);
    await expect(stranger.revokeTokensOfUser(1)).rejects.toThrow(InternalCallError);
    expect(
      (
        await request(auth.replicas[0]!.internalApp)
          .post('/internal/v1/codes')
          .send({ client_id: client.client_id, service_user_id: 1 })
      ).status,
    ).toBe(401);
  });

  it('is not served by the public app', async () => {
    for (const path of ['/internal/v1/codes', '/internal/v1/tokens/introspect', '/internal/v1/clients/authenticate']) {
      expect(
        (await request(auth.publicApp).post(path).auth(callingService.name, callingService.key).send({})).status,
      ).toBe(404);
    }
  });
});
