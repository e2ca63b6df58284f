import { Browser } from '../../test/browser';
import { baseUrl, connect, connectUrl, followOne } from '../../test/connect-flow';
import { personScene } from '../../test/connection-scene';

describe('connect', () => {
  const scene = personScene();
  const { open } = scene;
  const outcome = (url: URL): Record<string, string> => Object.fromEntries(url.searchParams);

  it('ends at the redirect_uri, with connections in status collecting', async () => {
    const at = await open();
    const end = await connect(scene.service, scene.person, at, { state: 'a b&c/ü' });
    expect(end.origin + end.pathname).toBe('https://client.example/done');
    const connections = await scene.connections();
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
        patient: { id: 'patient-77' },
        other_person: false,
        status: 'collecting',
        progress: { collected: 0, types_done: 0, types_total: 0 },
        complete: false,
        outcomes: { complete: 0, partial: 0, refused: 0, not_offered: 0, failed: 0 },
        warnings: [],
        warnings_omitted: 0,
        information: [],
        last_collected_at: null,
        granted_scopes: ['launch/patient', 'openid', 'fhirUser', 'offline_access', 'patient/*.read'],
        refreshable: true,
        consent: expect.objectContaining({ expires_at: null, scopes_requested: expect.any(Array) }),
      },
    ]);
  });

  it('sends a SMART authorization request: code, PKCE with S256, aud, launch/patient, offline_access; without a secret of ours', async () => {
    const at = await open();
    await connect(scene.service, scene.person, at);
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
    await connect(scene.service, scene.person, at, { prompt: 'none', login_hint: 'robin' });
    expect(at.system.authorizations[0]).toMatchObject({ prompt: 'none', login_hint: 'robin' });
  });

  it('collects every release, with one authorization where they share a server', async () => {
    const at = await open(['dstu2', 'stu3', 'r4']);
    const end = await connect(scene.service, scene.person, at);
    expect(at.system.authorizations).toHaveLength(1);
    expect(at.system.authorizations[0]?.['aud']).toBe(`${at.system.url}/fhir/r4`);
    const connections = await scene.connections();
    expect(connections.map(({ fhirVersion }) => fhirVersion).sort()).toEqual(['dstu2', 'r4', 'stu3']);
    const idOf = new Map(connections.map(({ fhirVersion, connection_id }) => [fhirVersion, connection_id]));
    expect(end.searchParams.getAll('connection_id')).toEqual([idOf.get('r4'), idOf.get('stu3'), idOf.get('dstu2')]);
    expect(
      await scene.service.sql('SELECT count(*)::int AS n FROM health_system_grant WHERE service_user_id = $1', [
        scene.person.serviceUserId,
      ]),
    ).toEqual([{ n: 1 }]);
  });

  it('sends one authorization request after the other where releases have their own servers', async () => {
    const at = await open(['dstu2', 'stu3', 'r4']);
    at.system.behaviour.apart = true;
    const end = await connect(scene.service, scene.person, at, { state: 's', prompt: 'none', login_hint: 'x' });
    expect(outcome(end)).toMatchObject({ success: 'true', state: 's' });
    expect(new Set(end.searchParams.getAll('connection_id')).size).toBe(3);
    expect(at.system.authorizations.map(({ aud, login_hint }) => [aud?.split('/').at(-1), login_hint])).toEqual([
      ['r4', 'x'],
      ['stu3', 'x'],
      ['dstu2', 'x'],
    ]);
    expect(await scene.connections()).toHaveLength(3);
    expect(
      await scene.service.sql('SELECT count(*)::int AS n FROM health_system_grant WHERE service_user_id = $1', [
        scene.person.serviceUserId,
      ]),
    ).toEqual([{ n: 3 }]);
  });

  it('keeps the opener of a pop-up window', async () => {
    const at = await open();
    const browser = new Browser(scene.service.app, baseUrl);
    const out = await browser.visit(connectUrl(scene.person, at.id));
    const back = await browser.visit(await followOne(out.headers['location'] as string));
    for (const { status, headers } of [out, back])
      expect([status, headers['cross-origin-opener-policy']]).toEqual([302, undefined]);
  });

  it('connects only the requested release', async () => {
    const at = await open(['dstu2', 'stu3', 'r4']);
    await connect(scene.service, scene.person, at, { fhirVersion: 'stu3' });
    expect((await scene.connections()).map(({ fhirVersion }) => fhirVersion)).toEqual(['stu3']);
  });

  it.each([
    ['R4', 'r4'],
    ['4.0', 'r4'],
    ['4.0.1', 'r4'],
    ['STU3', 'stu3'],
    ['3.0.2', 'stu3'],
    ['Dstu2', 'dstu2'],
    ['1.0.2', 'dstu2'],
  ])('takes fhirVersion=%s as %s', async (spelling, release) => {
    const at = await open(['dstu2', 'stu3', 'r4']);
    await connect(scene.service, scene.person, at, { fhirVersion: spelling });
    expect((await scene.connections()).map(({ fhirVersion }) => fhirVersion)).toEqual([release]);
  });

  it('redirects to the chosen redirect_uri, also with a custom scheme', async () => {
    const at = await open();
    const { href } = await connect(scene.service, scene.person, at, { redirect_uri: 'myapp://back', state: '' });
    const [connection] = await scene.connections();
    expect(href).toBe(
      `myapp://back?success=true&connection_id=${connection?.connection_id}&health_system_id=${at.id}&state=`,
    );
  });

  it('keeps the connection when the same patient connects again, and adds one for another patient', async () => {
    const at = await open(['stu3', 'r4']);
    await connect(scene.service, scene.person, at);
    const before = await scene.connections();
    await connect(scene.service, scene.person, at);
    expect((await scene.connections()).map(({ connection_id }) => connection_id)).toEqual(
      before.map(({ connection_id }) => connection_id),
    );
    expect(
      await scene.service.sql('SELECT count(*)::int AS n FROM health_system_grant WHERE service_user_id = $1', [
        scene.person.serviceUserId,
      ]),
    ).toEqual([{ n: 1 }]);
    at.system.behaviour.patient = 'a-child';
    await connect(scene.service, scene.person, at);
    expect(await scene.connections()).toHaveLength(4);
  });

  it('keeps the granted authorizations when the user denies the next one', async () => {
    const at = await open(['stu3', 'r4']);
    at.system.behaviour.apart = true;
    const browser = new Browser(scene.service.app, baseUrl);
    const first = await browser.visit(connectUrl(scene.person, at.id));
    const callback = await followOne(first.headers['location'] as string);
    at.system.behaviour.authorize = 'access_denied';
    const end = await browser.follow(callback, [at.system.url]);
    expect(outcome(end)).toMatchObject({ success: 'true' });
    expect((await scene.connections()).map(({ fhirVersion }) => fhirVersion)).toEqual(['r4']);
  });

  it('requests the older releases when the patient has no record in the newest', async () => {
    const at = await open(['stu3', 'r4']);
    at.system.behaviour.token = (_request, response) => {
      if (at.system.authorizations.length > 1) return false;
      response.json({ access_token: 'a' });
      return true;
    };
    expect(outcome(await connect(scene.service, scene.person, at))).toMatchObject({ success: 'true' });
    expect((await scene.connections()).map(({ fhirVersion }) => fhirVersion)).toEqual(['stu3']);
  });

  it('stores no token, verifier, state or patient id in plain text', async () => {
    const at = await open();
    await connect(scene.service, scene.person, at, { state: 'client-state-in-the-clear' });
    await new Browser(scene.service.app, baseUrl).visit(
      connectUrl(scene.person, at.id, { state: 'client-state-in-the-clear' }),
    );
    const everything = JSON.stringify(
      await scene.service.sql(
        `SELECT (SELECT json_agg(a) FROM pending_authorization a) AS a, (SELECT json_agg(g) FROM health_system_grant g) AS g, (SELECT json_agg(c) FROM connection c) AS c`,
      ),
    );
    expect(everything).toContain(String(scene.person.serviceUserId));
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
