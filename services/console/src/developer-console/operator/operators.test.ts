import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '@tributary/test-environment';
import request from 'supertest';
import { type Developer, DeveloperConsoleUnderTest, baseUrl } from '../../../test/developer-console-under-test';
import { adminProgram } from '../../admin-program';

const unknownId = '00000000-0000-4000-8000-000000000000';

describe('the area of operators', () => {
  let console: DeveloperConsoleUnderTest;
  let operator: Developer;
  let owner: Developer;
  let organisation: string;
  beforeAll(async () => {
    console = await DeveloperConsoleUnderTest.start();
    operator = await console.newOperator();
    owner = await console.newDeveloper();
    organisation = String((await owner.browser.post('organisations', { name: 'Better Sleep' })).body.id);
  });
  beforeEach(() => {
    console.auth.clients.length = 0;
    console.services.asked.length = 0;
    console.services.away.clear();
    console.services.failing.clear();
    console.events.length = 0;
  });
  afterAll(() => console.stop());

  const get = (path: string) => operator.browser.get(`operator/${path}`);
  const patch = (path: string, body: object) => operator.browser.patch(`operator/${path}`, body);

  /** Every route of operators, with input that it accepts. */
  const routes: [method: 'get' | 'post' | 'patch', path: string, body: object | undefined][] = [
    ['get', 'clients', undefined],
    ['get', 'clients/test-1', undefined],
    ['get', 'clients/test-1/users', undefined],
    ['patch', 'clients/test-1', { disabled: true }],
    ['get', 'organisations', undefined],
    ['get', `organisations/${unknownId}`, undefined],
    ['patch', `organisations/${unknownId}`, { may_have_live_clients: true }],
    ['get', 'accounts', undefined],
    ['patch', `accounts/${unknownId}`, { disabled: true }],
    ['get', 'registrations', undefined],
    ['post', 'registration-checks', { health_system: '7' }],
    ['get', 'sources', undefined],
    ['get', 'queue', undefined],
    ['get', 'services', undefined],
    ['get', 'keys', undefined],
    ['get', 'audit', undefined],
    ['post', 'audit/verifications', { days: 2 }],
    ['get', 'outcomes', undefined],
    ['get', 'paused-hosts', undefined],
    ['post', 'paused-hosts', { host: 'fhir.example.org', reason: 'maintenance' }],
    ['post', 'paused-hosts/resume', { host: 'fhir.example.org' }],
  ];

  it('has these routes and no others', async () => {
    const { body } = await request(console.replicas[0]!.app).get('/console/openapi.json');
    const documented = Object.entries(body.paths as Record<string, object>)
      .filter(([path]) => path.startsWith('/console/api/v1/operator/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path.split('/').length}`));
    expect(documented.toSorted()).toEqual(
      routes.map(([method, path]) => `${method} ${`/console/api/v1/operator/${path}`.split('/').length}`).toSorted(),
    );
  });

  it.each(routes)('does not exist for owners, %s %s', async (method, path, body) => {
    const answer = await owner.browser.send(method, `operator/${path}`, body);
    const nothing = await owner.browser.send(method, `operators/${path}`, body);
    expect([answer.status, answer.body.error_code]).toEqual([404, 'not_found']);
    expect(answer.body).toEqual(nothing.body);
    expect(console.services.asked).toEqual([]);
    // Without a session, as every other route, whether there is such a thing or not.
    expect((await console.browser().send(method, `operator/${path}`, body)).status).toBe(401);
  });

  it.each(routes)('does not exist for the password of an operator alone, %s %s', async (method, path, body) => {
    const browser = console.browser();
    await browser.post('sign-in', { email: operator.email, password: 'plain violet harbour 81' });
    expect((await browser.send(method, `operator/${path}`, body)).status).toBe(404);
    expect((await browser.get('account')).body.is_operator).toBe(false);
  });

  const safe = ['registration-checks', 'audit/verifications'];
  it.each(routes.filter(([method, path]) => method !== 'get' && !safe.includes(path)))(
    'needs a second factor of the last ten minutes for what changes something, %s %s',
    async (method, path, body) => {
      const browser = await console.signIn(operator);
      await console.pool.query(
        "UPDATE session SET second_factor_at = now() - interval '11 minutes' WHERE account_id = $1",
        [operator.id],
      );
      const answer = await browser.send(method, `operator/${path}`, body);
      expect([answer.status, answer.body.error_code]).toEqual([403, 'sign_in_again']);
      expect(console.services.asked).toEqual([]);
      const { body: account } = await browser.get('account');
      expect(account.is_operator).toBe(true);
      operator.browser = await console.signIn(operator);
    },
  );

  it('is opened and closed by command only, at once', async () => {
    const { browser, email, id } = await console.newDeveloper();
    const acted: object[] = [];
    const run = (...words: string[]) =>
      adminProgram(
        () => undefined,
        console.settings,
        (subjects) => Promise.resolve(void acted.push(...subjects)),
      ).parseAsync(['account', ...words, '--email', email.toUpperCase()], { from: 'user' });
    expect((await browser.get('operator/clients')).status).toBe(404);
    await run('make-operator');
    expect((await browser.get('operator/clients')).status).toBe(200);
    expect((await browser.get('account')).body.is_operator).toBe(true);
    await run('remove-operator');
    expect((await browser.get('operator/clients')).status).toBe(404);
    expect(acted).toEqual([{ entity: { type: 'Account', id } }, { entity: { type: 'Account', id } }]);
    for (const lost of ['verified_at = NULL', 'totp_sealed = NULL, totp_added_at = NULL, totp_last_step = NULL']) {
      await console.pool.query(`UPDATE account SET ${lost} WHERE id = $1`, [id]);
      await expect(run('make-operator')).rejects.toThrow('a verified address and a second factor');
      await console.pool.query('UPDATE account SET verified_at = now() WHERE id = $1', [id]);
    }
  });

  it('is refused to others with a note of who they are', async () => {
    const { browser, id } = await console.newDeveloper();
    console.events.length = 0;
    await browser.get('operator/clients');
    expect(console.events).toEqual([
      expect.objectContaining({ kind: 'token.refused', outcome: 'refused', status: 404, agent: { developer: id } }),
    ]);
  });

  it('lists clients, and names the operator in the audit log', async () => {
    const client = console.auth.add(organisation);
    expect((await get('clients?text=sleep&mode=test&state=active')).body.entry).toEqual([
      { ...client, created_at: expect.any(String) },
    ]);
    expect(console.services.asked).toEqual([['list', { text: 'sleep', mode: 'test', state: 'active' }]]);
    expect(console.events).toEqual([
      expect.objectContaining({
        kind: 'operator.request',
        action: 'R',
        outcome: 'success',
        agent: { operator: operator.id },
      }),
    ]);
    for (const query of ['mode=none', 'state=none', 'after=none', 'after=2026-99-99T00:00:00.000000Z_a', 'text='])
      expect((await get(`clients?${query}`)).status).toBe(400);
    const { body } = await get(`clients/${client.client_id}`);
    expect(body).toMatchObject({
      client_id: client.client_id,
      organisation: { id: organisation, name: 'Better Sleep' },
    });
    expect((await get(`clients/${client.client_id}/users`)).body).toEqual({ users: 7 });
    expect((await get('clients/nobody')).status).toBe(404);
    expect((await get(`clients/${console.auth.add(undefined).client_id}`)).body.organisation).toBeNull();
  });

  it('disables and enables clients', async () => {
    const { client_id } = console.auth.add(organisation);
    expect((await patch(`clients/${client_id}`, { disabled: true })).body.disabled_at).toEqual(expect.any(String));
    expect(console.services.asked).toEqual([['setDisabled', client_id, { disabled: true, operator: operator.id }]]);
    expect(console.events.at(-1)).toMatchObject({
      kind: 'operator.request',
      action: 'U',
      agent: { operator: operator.id, clientId: client_id },
      entities: [{ query: 'disable' }],
    });
    expect((await patch(`clients/${client_id}`, { disabled: false })).body.disabled_at).toBeUndefined();
    console.auth.clients[0]!.deletion_at = '2026-01-01T00:00:00.000Z';
    expect((await patch(`clients/${client_id}`, { disabled: false })).body.error_code).toBe('client_being_deleted');
    expect((await patch('clients/nobody', { disabled: false })).status).toBe(404);
  });

  it('says that a service is not available, and answers about the others', async () => {
    const { client_id } = console.auth.add(organisation);
    console.services.away.add('user-management');
    expect((await get(`clients/${client_id}/users`)).body.error_code).toBe('temporarily_unavailable');
    expect((await get(`clients/${client_id}`)).status).toBe(200);
  });

  it('allows and refuses live clients of an organisation', async () => {
    expect((await get(`organisations?text=${organisation.slice(0, 13)}`)).body.entry).toEqual([
      {
        id: organisation,
        name: 'Better Sleep',
        may_have_live_clients: false,
        created_at: expect.any(String),
        members: 1,
      },
    ]);
    await patch(`organisations/${organisation}`, { may_have_live_clients: true });
    expect((await get(`organisations/${organisation}`)).body).toMatchObject({
      may_have_live_clients: true,
      member: [{ account_id: owner.id, email: owner.email, role: 'owner' }],
    });
    await patch(`organisations/${organisation}`, { may_have_live_clients: false });
    expect((await get('organisations?text=sLEEP')).body.entry[0].may_have_live_clients).toBe(false);
    expect((await get(`organisations/${unknownId}`)).status).toBe(404);
    expect((await patch(`organisations/${unknownId}`, { may_have_live_clients: true })).status).toBe(404);
  });

  it('disables and enables accounts', async () => {
    const { browser, email, id } = await console.newDeveloper();
    await patch(`accounts/${id}`, { disabled: true });
    expect((await browser.get('account')).status).toBe(401);
    const read = async () => (await get(`accounts?text=${email}`)).body.entry;
    expect(await read()).toEqual([
      expect.objectContaining({ id, email, disabled_at: expect.any(String), operator_since: null, organisations: [] }),
    ]);
    await patch(`accounts/${id}`, { disabled: false });
    expect(await read()).toEqual([expect.objectContaining({ disabled_at: null })]);
    expect((await patch(`accounts/${unknownId}`, { disabled: true })).status).toBe(404);
  });

  it('lists in pages', async () => {
    const { rows } = await console.pool.query<{ id: string }>(
      `INSERT INTO organisation (name, created_at) SELECT 'Page ' || n, now() - (n / 10) * interval '1 minute'
       FROM generate_series(1, 120) n RETURNING id`,
    );
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { body } = await get(`organisations?text=page%20${after === undefined ? '' : `&after=${after}`}`);
      seen.push(...(body.entry as { id: string }[]).map(({ id }) => id));
      after = body.next;
    } while (after !== undefined);
    expect(seen.length).toBe(120);
    expect(new Set(seen)).toEqual(new Set(rows.map(({ id }) => id)));
  });

  it('shows registrations, sources, outcomes and paused hosts', async () => {
    expect((await get('registrations')).body.entry).toMatchObject([{ pattern: '*.clinics.example' }]);
    expect((await get('sources')).body).toEqual({ entry: [] });
    expect((await get('outcomes')).body).toEqual({ days: 7, entry: [] });
    expect((await get('outcomes?days=400')).body.days).toBe(400);
    expect((await get('outcomes?days=401')).status).toBe(400);
    expect((await get('paused-hosts')).body).toEqual({ entry: [] });
    expect((await get('queue')).body).toEqual({ jobs: null, hosts: [], connections: { active: 2 } });
    console.services.away.add('search');
    expect((await get('sources')).status).toBe(503);
    expect((await get('registrations')).status).toBe(200);
  });

  it('shows the readiness of each service, also of one that does not answer', async () => {
    console.services.away.add('auth');
    expect((await get('services')).body.entry).toEqual([
      { service: 'auth', status: 'unreachable', missing: [] },
      { service: 'fhir-store', status: 'not ready', version: '0.1.0', missing: ['database'] },
      { service: 'console', status: 'ready', version: expect.any(String), missing: [] },
    ]);
  });

  it('shows the keys of each service, also when one does not answer', async () => {
    console.services.away.add('fhir-store');
    console.services.failing.set('console', 500);
    const status = { versions: [{ state: 'current', keys: 3 }], unknown: [], not_noted: 0 };
    expect((await get('keys')).body.entry).toMatchObject([
      { service: 'user-management', status },
      { service: 'fhir-store', problem: 'unreachable' },
      { service: 'console', problem: 'failed' },
    ]);
  });

  it.each([
    [404, 'unsupported'],
    [401, 'refused'],
    [403, 'refused'],
    [500, 'failed'],
    [503, 'failed'],
    [0, 'failed'],
  ])('tells why the keys of a service are not known, with status %i', async (status, problem) => {
    console.services.failing.set('fhir-store', status);
    expect((await get('keys')).body.entry[1]).toEqual({ service: 'fhir-store', problem });
  });

  it('tests a registration, with a line for each step', async () => {
    const answer = await operator.browser
      .post('operator/registration-checks', { health_system: '7' })
      .then(({ text, headers }) => ({ type: headers['content-type'], lines: text.trim().split('\n') }));
    expect(answer.type).toContain('application/x-ndjson');
    expect(answer.lines.map((line) => (JSON.parse(line) as { result: string }).result)).toEqual(['ok', 'failed']);
    expect(console.services.asked).toEqual([
      ['checkRegistration', { health_system: '7', release: 'r4', operator: operator.id }],
    ]);
    const noted = { kind: 'operator.request', entities: [{ query: 'registration test 7' }] };
    expect(console.events).toEqual([
      expect.objectContaining({ ...noted, outcome: 'begun', agent: { operator: operator.id } }),
      expect.objectContaining({ ...noted, outcome: 'success' }),
    ]);
    console.services.away.add('user-management');
    const away = await operator.browser.post('operator/registration-checks', { health_system: '7' });
    expect([away.status, away.body.error_code]).toEqual([503, 'temporarily_unavailable']);
  });

  it('shows the state of the audit log, and verifies it with a line for each second', async () => {
    expect((await get('audit')).body.verification).toMatchObject({ is_running: true });
    const verify = (body: object) => operator.browser.post('operator/audit/verifications', body);
    const { type, lines } = await verify({ days: 30 }).then(({ text, headers }) => ({
      type: headers['content-type'],
      lines: text.trim().split('\n'),
    }));
    expect(type).toContain('application/x-ndjson');
    expect(lines.map((line) => (JSON.parse(line) as { line: string }).line)).toEqual(['progress', 'finding', 'result']);
    expect(console.services.asked.at(-1)).toEqual(['verify', { days: 30, contents: true, operator: operator.id }]);
    expect(console.events.at(-1)).toMatchObject({
      kind: 'operator.request',
      action: 'E',
      outcome: 'success',
      agent: { operator: operator.id },
      entities: [{ query: 'audit verify' }],
    });
    for (const wrong of [{ days: 0 }, { days: 3651 }, { days: 1.5 }, { contents: 'all' }, { operator: unknownId }])
      expect((await verify(wrong)).status).toBe(400);
    console.services.isVerifying = true;
    expect((await verify({})).body.error_code).toBe('verification_running');
    console.services.isVerifying = false;
    console.services.away.add('audit-log');
    expect([(await get('audit')).status, (await verify({})).status]).toEqual([503, 503]);
  });

  it('ends the verification of a caller who goes away', async () => {
    console.services.isEndless = true;
    const server = console.replicas[0]!.app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const headers = { Origin: baseUrl, Cookie: operator.browser.cookie!, 'Content-Type': 'application/json' };
    const url = `http://127.0.0.1:${port}/console/api/v1/operator/audit/verifications`;
    const { body } = await fetch(url, { method: 'POST', headers, body: '{}' });
    await body!.cancel();
    await waitUntil(() => console.events.length > 0, 'the call is recorded');
    expect(console.events).toEqual([expect.objectContaining({ kind: 'operator.request', outcome: 'aborted' })]);
    server.closeAllConnections();
    server.close();
    console.services.isEndless = false;
  });

  it('pauses and resumes hosts, in the name of the operator', async () => {
    const pause = { host: 'fhir.example.org', reason: 'maintenance' };
    expect((await operator.browser.post('operator/paused-hosts', pause)).body).toEqual({ hosts: ['fhir.example.org'] });
    expect(console.services.asked).toEqual([['pause', { ...pause, operator: operator.id }]]);
    const { host } = pause;
    expect((await operator.browser.post('operator/paused-hosts/resume', { host })).status).toBe(200);
    expect((await operator.browser.post('operator/paused-hosts/resume', { host })).status).toBe(404);
    for (const wrong of [
      { host: 'a b', reason: 'x' },
      { host: 'a', reason: ' ' },
      { host: 'a', reason: 'x\ny' },
    ])
      expect((await operator.browser.post('operator/paused-hosts', wrong)).status).toBe(400);
  });
});
