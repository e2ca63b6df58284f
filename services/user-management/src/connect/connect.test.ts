import { readConfig } from '@tributary/service-kit';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import { Browser } from '../../test/browser';
import {
  type ConnectedSystem,
  type Person,
  baseUrl,
  clientRedirect,
  connect,
  connectUrl,
  connectionsOf,
  newHealthSystem,
  newPerson,
} from '../../test/connect-flow';
import { type RunningForTest, runForTest } from '../../test/running-service';
import { PendingAuthorizations } from './pending-authorizations';

describe('connect', () => {
  let service: RunningForTest;
  let person: Person;
  const opened: ConnectedSystem[] = [];
  const open = async (
    ...of: Parameters<typeof newHealthSystem> extends [unknown, ...infer Rest] ? Rest : never
  ): Promise<ConnectedSystem> => {
    const made = await newHealthSystem(service, ...of);
    opened.push(made);
    return made;
  };
  beforeAll(async () => {
    service = await runForTest();
  });
  afterEach(() => Promise.all(opened.splice(0).map(({ system }) => system.close())));
  afterAll(() => service.stop());
  beforeEach(async () => {
    person = await newPerson(service);
  });
  const outcome = (url: URL): Record<string, string> => Object.fromEntries(url.searchParams);

  it('ends at the redirect_uri, with connections in status collecting', async () => {
    const at = await open();
    const end = await connect(service, person, at, { state: 'a b&c/ü' });
    expect(end.origin + end.pathname).toBe('https://client.example/done');
    const connections = await connectionsOf(service, person);
    expect(outcome(end)).toEqual({
      keep: '1',
      success: 'true',
      connection_id: connections[0]?.connection_id,
      health_system_id: String(at.id),
      state: 'a b&c/ü',
    });
    expect(connections).toEqual([
      {
        connection_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        health_system: { id: at.id, name: 'Lakeside Hospital' },
        fhirVersion: 'r4',
        status: 'collecting',
        progress: { collected: 0, types_done: 0, types_total: 0 },
        complete: false,
        warnings: [],
        warnings_omitted: 0,
        last_collected_at: null,
        granted_scopes: ['launch/patient', 'openid', 'fhirUser', 'offline_access', 'patient/*.read'],
        refreshable: true,
      },
    ]);
  });

  it('sends a SMART authorization request: code, PKCE with S256, aud, launch/patient, offline_access; without a secret of ours', async () => {
    const at = await open();
    await connect(service, person, at);
    expect(at.system.authorizations[0]).toEqual({
      response_type: 'code',
      client_id: 'our-client',
      redirect_uri: `${baseUrl}/connect/callback`,
      scope: 'launch/patient openid fhirUser offline_access patient/*.read',
      state: expect.stringMatching(/^[\w-]{43}$/),
      aud: `${at.system.url}/fhir/r4`,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(at.system.tokenRequests[0]).toMatchObject({
      grant_type: 'authorization_code',
      client_id: 'our-client',
      redirect_uri: `${baseUrl}/connect/callback`,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('forwards prompt and login_hint in sandbox mode', async () => {
    const at = await open();
    await connect(service, person, at, { prompt: 'none', login_hint: 'robin' });
    expect(at.system.authorizations[0]).toMatchObject({ prompt: 'none', login_hint: 'robin' });
  });

  it('collects every release, with one authorization where they share a server', async () => {
    const at = await open(['dstu2', 'stu3', 'r4']);
    const end = await connect(service, person, at);
    expect(at.system.authorizations).toHaveLength(1);
    expect(at.system.authorizations[0]?.['aud']).toBe(`${at.system.url}/fhir/r4`);
    const connections = await connectionsOf(service, person);
    expect(connections.map(({ fhirVersion }) => fhirVersion).sort()).toEqual(['dstu2', 'r4', 'stu3']);
    const idOf = new Map(connections.map(({ fhirVersion, connection_id }) => [fhirVersion, connection_id]));
    expect(end.searchParams.getAll('connection_id')).toEqual([idOf.get('r4'), idOf.get('stu3'), idOf.get('dstu2')]);
    expect(
      await service.sql('SELECT count(*)::int AS n FROM health_system_grant WHERE service_user_id = $1', [
        person.serviceUserId,
      ]),
    ).toEqual([{ n: 1 }]);
  });

  it('sends one authorization request after the other where releases have their own servers', async () => {
    const at = await open(['dstu2', 'stu3', 'r4']);
    at.system.behaviour.apart = true;
    const end = await connect(service, person, at, { state: 's', prompt: 'none', login_hint: 'x' });
    expect(outcome(end)).toMatchObject({ success: 'true', state: 's' });
    expect(new Set(end.searchParams.getAll('connection_id')).size).toBe(3);
    expect(at.system.authorizations.map(({ aud, login_hint }) => [aud?.split('/').at(-1), login_hint])).toEqual([
      ['r4', 'x'],
      ['stu3', 'x'],
      ['dstu2', 'x'],
    ]);
    expect(await connectionsOf(service, person)).toHaveLength(3);
    expect(
      await service.sql('SELECT count(*)::int AS n FROM health_system_grant WHERE service_user_id = $1', [
        person.serviceUserId,
      ]),
    ).toEqual([{ n: 3 }]);
  });

  it('keeps the opener of a pop-up window', async () => {
    const at = await open();
    const browser = new Browser(service.app, baseUrl);
    const out = await browser.visit(connectUrl(person, at.id));
    const back = await browser.visit(await followOne(out.headers['location'] as string));
    for (const { status, headers } of [out, back])
      expect([status, headers['cross-origin-opener-policy']]).toEqual([302, undefined]);
  });

  it('connects only the requested release', async () => {
    const at = await open(['dstu2', 'stu3', 'r4']);
    await connect(service, person, at, { fhirVersion: 'stu3' });
    expect((await connectionsOf(service, person)).map(({ fhirVersion }) => fhirVersion)).toEqual(['stu3']);
  });

  it('redirects to the chosen redirect_uri, also with a custom scheme', async () => {
    const at = await open();
    const { href } = await connect(service, person, at, { redirect_uri: 'myapp://back', state: '' });
    const [connection] = await connectionsOf(service, person);
    expect(href).toBe(
      `myapp://back?success=true&connection_id=${connection?.connection_id}&health_system_id=${at.id}&state=`,
    );
  });

  it('keeps the connection when the same patient connects again, and adds one for another patient', async () => {
    const at = await open(['stu3', 'r4']);
    await connect(service, person, at);
    const before = await connectionsOf(service, person);
    await connect(service, person, at);
    expect((await connectionsOf(service, person)).map(({ connection_id }) => connection_id)).toEqual(
      before.map(({ connection_id }) => connection_id),
    );
    expect(
      await service.sql('SELECT count(*)::int AS n FROM health_system_grant WHERE service_user_id = $1', [
        person.serviceUserId,
      ]),
    ).toEqual([{ n: 1 }]);
    at.system.behaviour.patient = 'a-child';
    await connect(service, person, at);
    expect(await connectionsOf(service, person)).toHaveLength(4);
  });

  describe('responds with an error to', () => {
    const visit = async (
      url: string,
      accept?: string,
    ): Promise<{ status: number; body: Record<string, unknown>; text: string; headers: Record<string, string> }> => {
      const response = await new Browser(service.app, baseUrl).visit(url, accept ? { Accept: accept } : {});
      return {
        status: response.status,
        body: response.body as Record<string, unknown>,
        text: response.text,
        headers: response.headers as Record<string, string>,
      };
    };

    const challenges: Record<string, RegExp> = {
      invalid_client: /^Bearer realm="tributary"$/,
      invalid_token: /^Bearer realm="tributary", error="invalid_token"/,
    };

    it.each<[string, number, string, (at: ConnectedSystem) => string]>([
      ['an unknown client', 401, 'invalid_client', ({ id }) => connectUrl(person, id, { client_id: 'nobody' })],
      [
        'a client_id that means another address',
        401,
        'invalid_client',
        ({ id }) => connectUrl(person, id, { client_id: '..' }),
      ],
      [
        'a client_id that is too long',
        401,
        'invalid_client',
        ({ id }) => connectUrl(person, id, { client_id: 'x'.repeat(129) }),
      ],
      [
        'a token that is not good',
        401,
        'invalid_token',
        ({ id }) => connectUrl(person, id, { access_token: 'x'.repeat(43) }),
      ],
      [
        'a token of another client',
        401,
        'invalid_token',
        ({ id }) =>
          connectUrl(person, id, {
            access_token: service.auth.addToken(service.auth.addClient().client_id, person.serviceUserId),
          }),
      ],
      [
        'a token of the client itself',
        401,
        'invalid_token',
        ({ id }) => connectUrl(person, id, { access_token: service.auth.addToken(person.clientId) }),
      ],
      [
        'a token of a user who is gone',
        401,
        'invalid_token',
        ({ id }) => connectUrl(person, id, { access_token: service.auth.addToken(person.clientId, 99_999_999) }),
      ],
      [
        'a missing token',
        400,
        'invalid_request',
        ({ id }) => `${baseUrl}/connect/system/clinical/${id}?client_id=${person.clientId}`,
      ],
      [
        'a missing client',
        400,
        'invalid_request',
        ({ id }) => `${baseUrl}/connect/system/clinical/${id}?access_token=${person.token}`,
      ],
      ['an unknown health system', 404, 'health_system_not_found', () => connectUrl(person, 987_654)],
      [
        'no health system',
        400,
        'invalid_request',
        () => `${baseUrl}/connect/system/clinical/abc?client_id=a&access_token=b`,
      ],
      [
        'an unsupported release',
        400,
        'unsupported_fhir_version',
        ({ id }) => connectUrl(person, id, { fhirVersion: 'dstu2' }),
      ],
      ['an unknown release', 400, 'invalid_request', ({ id }) => connectUrl(person, id, { fhirVersion: 'r5' })],
      [
        'a redirect_uri that is not registered',
        400,
        'invalid_redirect_uri',
        ({ id }) => connectUrl(person, id, { redirect_uri: `${clientRedirect}x` }),
      ],
      ['two clients', 400, 'invalid_request', ({ id }) => `${connectUrl(person, id)}&client_id=other`],
    ])('%s', async (_what, status, code, urlOf) => {
      const url = urlOf(await open());
      const json = await visit(url);
      expect([json.status, json.body]).toEqual([
        status,
        { success: false, error: expect.any(String), error_code: code },
      ]);
      expect(json.headers['referrer-policy']).toBe('no-referrer');
      expect(json.headers['www-authenticate'] ?? 'none').toMatch(challenges[code] ?? /^none$/);
      const page = await visit(url, 'text/html,application/xhtml+xml,*/*;q=0.8');
      expect(page.status).toBe(status);
      expect(page.headers['content-type']).toContain('text/html');
      expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
      expect(page.text).toContain('<html lang="en">');
      expect(page.text).toMatch(/<p role="alert">[A-Z][^<]+\.<\/p><details>/);
      expect(page.text).toContain(`<code>${code}</code>`);
      expect(page.text).toContain(`<code>${page.headers['x-request-id']}</code>`);
      expect(page.text).not.toContain(person.token);
      expect(page.text).not.toMatch(/invalid option|expected|<script|undefined/i);
    });

    it('an inactive user', async () => {
      const at = await open();
      await service.sql(`UPDATE service_user SET state = 'inactive' WHERE service_user_id = $1`, [
        person.serviceUserId,
      ]);
      expect((await visit(connectUrl(person, at.id))).status).toBe(401);
    });

    it('a callback without a pending authorization', async () => {
      for (const query of ['', '?state=x', `?state=${'x'.repeat(43)}&code=abc`]) {
        const response = await visit(`${baseUrl}/connect/callback${query}`);
        expect([response.status, response.body['error_code']]).toEqual([400, 'invalid_state']);
      }
      expect((await visit(`${baseUrl}/connect/callback?state=x`, 'text/html')).text).toContain(
        'began in another browser',
      );
    });
  });

  it('keeps the granted authorizations when the user denies the next one', async () => {
    const at = await open(['stu3', 'r4']);
    at.system.behaviour.apart = true;
    const browser = new Browser(service.app, baseUrl);
    const first = await browser.visit(connectUrl(person, at.id));
    const callback = await followOne(first.headers['location'] as string);
    at.system.behaviour.authorize = 'access_denied';
    const end = await browser.follow(callback, [at.system.url]);
    expect(outcome(end)).toMatchObject({ success: 'true' });
    expect((await connectionsOf(service, person)).map(({ fhirVersion }) => fhirVersion)).toEqual(['r4']);
  });

  it('requests the older releases when the patient has no record in the newest', async () => {
    const at = await open(['stu3', 'r4']);
    at.system.behaviour.token = (_request, response) => {
      if (at.system.authorizations.length > 1) return false;
      response.json({ access_token: 'a' });
      return true;
    };
    expect(outcome(await connect(service, person, at))).toMatchObject({ success: 'true' });
    expect((await connectionsOf(service, person)).map(({ fhirVersion }) => fhirVersion)).toEqual(['stu3']);
  });

  describe('the state', () => {
    const begun = async (): Promise<{ browser: Browser; callback: string }> => {
      const at = await open();
      const browser = new Browser(service.app, baseUrl);
      const first = await browser.visit(connectUrl(person, at.id));
      return { browser, callback: await followOne(first.headers['location'] as string) };
    };

    it('is accepted once', async () => {
      const { browser, callback } = await begun();
      const cookies = new Map(browser.cookies);
      expect((await browser.visit(callback)).status).toBe(302);
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      expect((await browser.visit(callback)).status).toBe(400);
    });

    it('is accepted once of concurrent callbacks', async () => {
      const { browser, callback } = await begun();
      const statuses = (
        await Promise.all([browser.visit(callback), browser.visit(callback), browser.visit(callback)])
      ).map(({ status }) => status);
      expect(statuses.sort()).toEqual([302, 400, 400]);
    });

    it('is rejected from another browser, and stays valid', async () => {
      const { browser, callback } = await begun();
      const other = new Browser(service.app, baseUrl);
      expect((await other.visit(callback)).status).toBe(400);
      other.cookies.set([...browser.cookies.keys()][0] ?? '', 'x'.repeat(43));
      expect((await other.visit(callback)).status).toBe(400);
      expect((await browser.visit(callback)).status).toBe(302);
    });

    it('expires after ten minutes: the user returns to the client, and can begin anew at once', async () => {
      const { browser, callback } = await begun();
      const [left] = await service.sql(
        'SELECT extract(epoch FROM expires_at - now())::float AS s FROM pending_authorization WHERE service_user_id = $1',
        [person.serviceUserId],
      );
      expect(left?.['s']).toBeGreaterThan(590);
      expect(left?.['s']).toBeLessThanOrEqual(600);
      await service.sql('UPDATE pending_authorization SET expires_at = now() WHERE service_user_id = $1', [
        person.serviceUserId,
      ]);
      expect(outcome(await browser.follow(callback, []))).toMatchObject({ success: 'false', error: 'expired' });
      expect((await browser.visit(callback)).status).toBe(400);
      expect(opened[0]?.system.tokenRequests).toEqual([]);
      expect(await connectionsOf(service, person)).toEqual([]);
      expect(outcome(await connect(service, person, opened[0] as ConnectedSystem))).toMatchObject({ success: 'true' });
    });

    it('is not needed by a user who was stranded at the health system and begins anew', async () => {
      await begun();
      expect(outcome(await connect(service, person, opened[0] as ConnectedSystem))).toMatchObject({ success: 'true' });
    });

    it('is deleted an hour after it expired', async () => {
      const { browser, callback } = await begun();
      const { database, keys } = await openServiceDatabase(readConfig(vaultConfig, service.environment));
      const pendingAuthorizations = new PendingAuthorizations(database, keys);
      const left = (): Promise<unknown> =>
        service.sql('SELECT true AS kept FROM pending_authorization WHERE service_user_id = $1', [
          person.serviceUserId,
        ]);
      const age = (minutes: number): Promise<unknown> =>
        service.sql(
          `UPDATE pending_authorization SET expires_at = now() - $2 * interval '1 minute' WHERE service_user_id = $1`,
          [person.serviceUserId, minutes],
        );
      await age(55);
      await pendingAuthorizations.deleteExpired();
      expect(await left()).toEqual([{ kept: true }]);
      await age(65);
      await pendingAuthorizations.deleteExpired();
      expect(await left()).toEqual([]);
      expect((await browser.visit(callback)).status).toBe(400);
      await database.destroy();
    });

    it('has a cookie that scripts cannot read', async () => {
      const at = await open();
      const response = await new Browser(service.app, baseUrl).visit(connectUrl(person, at.id));
      expect(response.headers['set-cookie']).toEqual([
        expect.stringMatching(/^connect-[0-9a-f]{16}=[\w-]{43}; Max-Age=4200; Path=\/; HttpOnly; SameSite=Lax$/),
      ]);
      expect(response.headers['referrer-policy']).toBe('no-referrer');
    });
  });

  it('stores no token, verifier, state or patient id in plain text', async () => {
    const at = await open();
    await connect(service, person, at, { state: 'client-state-in-the-clear' });
    await new Browser(service.app, baseUrl).visit(connectUrl(person, at.id, { state: 'client-state-in-the-clear' }));
    const everything = JSON.stringify(
      await service.sql(
        `SELECT (SELECT json_agg(a) FROM pending_authorization a) AS a, (SELECT json_agg(g) FROM health_system_grant g) AS g, (SELECT json_agg(c) FROM connection c) AS c`,
      ),
    );
    expect(everything).toContain(String(person.serviceUserId));
    for (const clear of [
      'access-',
      'refresh-',
      'patient-77',
      'client-state',
      at.system.authorizations[0]?.['state'] ?? '?',
      at.system.tokenRequests[0]?.['code_verifier'] ?? '?',
    ]) {
      expect(everything).not.toContain(clear);
      expect(everything).not.toContain(Buffer.from(clear).toString('hex'));
    }
  });
});

async function followOne(url: string): Promise<string> {
  return String((await fetch(url, { redirect: 'manual' })).headers.get('location'));
}
