import { readConfig } from '@tributary/service-kit';
import request, { type Response } from 'supertest';
import { Browser } from '../../../test/browser';
import { type ConnectedSystem, baseUrl, clientRedirect, newPerson } from '../../../test/connect-flow';
import { personScene } from '../../../test/connection-scene';
import { vaultConfig } from '../../config';
import { openServiceDatabase } from '../../database/open-database';
import { ConnectLinks } from './connect-links';

const html = { Accept: 'text/html' };
const userLimit = 3;

describe('a connect link', () => {
  const scene = personScene({ RATE_LIMITS: `connect-user=${userLimit}/3600` });
  const post = (headers: Record<string, string>, body: object, query = ''): Promise<Response> =>
    request(scene.service.app).post(`/connect/v1/links${query}`).set(headers).send(body).then();
  const byUser = (token = scene.person.token): Record<string, string> => ({ Authorization: `Bearer ${token}` });
  const browser = (): Browser => new Browser(scene.service.app, baseUrl);
  const linkTo = async ({ id }: ConnectedSystem, more: object = {}): Promise<string> => {
    const { status, body } = await post(byUser(), { health_system_id: id, ...more });
    expect(status).toBe(201);
    return (body as { url: string }).url;
  };

  it('holds no token, ends after ten minutes, and begins a connect session when the user answers yes', async () => {
    const at = await scene.open();
    const before = Date.now();
    const { body } = await post(byUser(), { health_system_id: at.id, fhirVersion: 'R4', state: 'a&b' });
    expect(body).toEqual({
      url: expect.stringMatching(new RegExp(`^${baseUrl}/connect/links/[\\w-]{43}$`)),
      expires_at: expect.stringMatching(/Z$/),
    });
    const { url, expires_at } = body as { url: string; expires_at: string };
    expect((Date.parse(expires_at) - before) / 1000).toBeCloseTo(600, -1);
    expect(url).not.toContain(scene.person.token);

    const user = browser();
    const page = await user.visit(url, html);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<h1>Is this your account?</h1>');
    expect(page.text).toContain('The app <bdi>A client</bdi> wants to read your health records from <bdi>Lakeside');
    expect(at.system.authorizations).toEqual([]);

    const toSystem = await user.submit(url, { answer: 'yes' }, html);
    expect(toSystem.status).toBe(303);
    const end = await user.follow(toSystem.headers['location'] as string, [at.system.url]);
    expect(end.href.startsWith(clientRedirect)).toBe(true);
    expect(Object.fromEntries(end.searchParams)).toMatchObject({ success: 'true', state: 'a&b' });
    expect(await scene.connections()).toMatchObject([
      { connection_id: end.searchParams.get('connection_id'), fhirVersion: 'r4' },
    ]);
  });

  it.each(['auth', 'directory'] as const)('can be opened again by its browser after a failure of %s', async (name) => {
    const url = await linkTo(await scene.open());
    const user = browser();
    scene.service[name].isUnavailable = true;
    const failed = await user.visit(url, html);
    scene.service[name].isUnavailable = false;
    const again = '<a class="primary" href=""><span>Try again</span></a>';
    expect([failed.status, failed.text]).toEqual([503, expect.stringContaining(again)]);
    expect((await user.visit(url)).status).toBe(200);
    expect((await browser().visit(url)).status).toBe(410);
  });

  it('does not belong to a program that sends HEAD', async () => {
    const url = await linkTo(await scene.open());
    const { status, headers } = await request(scene.service.app).head(new URL(url).pathname);
    expect([status, headers['content-type'], headers['set-cookie']]).toEqual([
      200,
      'text/html; charset=utf-8',
      undefined,
    ]);
    expect((await browser().visit(url)).status).toBe(200);
  });

  it('ends at the application when the user answers no', async () => {
    const at = await scene.open();
    const url = await linkTo(at, { redirect_uri: 'myapp://back', state: 's' });
    const user = browser();
    await user.visit(url);
    const answered = await user.submit(url, { answer: 'no' });
    expect([answered.status, answered.headers['location']]).toEqual([
      303,
      `myapp://back?success=false&error=access_denied&health_system_id=${at.id}&state=s`,
    ]);
    expect((await user.visit(url)).status).toBe(410);
    expect(at.system.authorizations).toEqual([]);
  });

  it('ends by a no also when the health system is gone and the limit of the user is used up', async () => {
    const at = await scene.open();
    for (let visits = 0; visits < userLimit; visits++) {
      const url = await linkTo(at);
      const user = browser();
      await user.visit(url);
      expect((await user.submit(url, { answer: 'yes' })).status).toBe(303);
    }
    const url = await linkTo(at);
    const user = browser();
    await user.visit(url);
    expect((await user.submit(url, { answer: 'yes' })).status).toBe(429);
    scene.service.directory.systems.delete(at.id);
    expect((await user.submit(url, { answer: 'no' })).headers['location']).toContain('error=access_denied');
    expect((await user.visit(url)).status).toBe(410);
  });

  it('belongs to the browser that opens it first, which can load it again', async () => {
    const url = await linkTo(await scene.open());
    const user = browser();
    expect((await user.visit(url)).status).toBe(200);
    expect((await user.visit(url)).status).toBe(200);
    const other = browser();
    const refused = await other.visit(url, html);
    expect([refused.status, refused.text]).toEqual([410, expect.stringContaining('This link has ended')]);
    expect(refused.text).not.toContain('Lakeside');
    expect((await other.submit(url, { answer: 'yes' })).status).toBe(410);
    expect((await user.submit(url, { answer: 'yes' })).status).toBe(303);
  });

  it('begins one session, also of concurrent answers', async () => {
    const url = await linkTo(await scene.open());
    const user = browser();
    await user.visit(url);
    const answers = await Promise.all([1, 2, 3].map(() => user.submit(url, { answer: 'yes' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410]);
    expect((await user.visit(url)).body).toMatchObject({ error_code: 'connect_link_ended' });
  });

  it('is opened by one of concurrent browsers', async () => {
    const url = await linkTo(await scene.open());
    const opened = await Promise.all([browser(), browser(), browser()].map((each) => each.visit(url)));
    expect(opened.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
  });

  it('cannot be answered without its page, as a form of another site would', async () => {
    const url = await linkTo(await scene.open());
    const victim = browser();
    expect((await victim.submit(url, { answer: 'yes' })).status).toBe(410);
    const opened = await victim.visit(url);
    expect(opened.headers['set-cookie']).toEqual([
      expect.stringMatching(/^connect-[0-9a-f]{16}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(opened.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    // Browsers do not send the cookie with a form of another site.
    victim.cookies.clear();
    expect((await victim.submit(url, { answer: 'yes' })).status).toBe(410);
  });

  it.each(['http://app.tributary.test', 'https://tributary.test', 'http://tributary.test:8443', 'null'])(
    'cannot be answered by a page of %s, whose browser sends the cookie',
    async (origin) => {
      const url = await linkTo(await scene.open());
      const user = browser();
      await user.visit(url);
      for (const answer of ['yes', 'no']) {
        const refused = await user.submit(url, { answer }, { ...html, Origin: origin });
        expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('did not come from our page')]);
      }
      expect((await user.submit(url, { answer: 'yes' }, { Origin: baseUrl })).status).toBe(303);
    },
  );

  it.each(['same-site', 'cross-site'])(
    'cannot be answered by a form of which the browser says that it is %s, without an origin',
    async (site) => {
      const url = await linkTo(await scene.open());
      const user = browser();
      await user.visit(url);
      expect((await user.submit(url, { answer: 'yes' }, { ...html, 'Sec-Fetch-Site': site })).status).toBe(403);
      expect((await user.submit(url, { answer: 'yes' }, { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(303);
    },
  );

  it('lets browsers send the origin of its page with the answer, and its address to nobody else', async () => {
    const { headers } = await browser().visit(await linkTo(await scene.open()));
    expect(headers['referrer-policy']).toBe('same-origin');
  });

  it('is answered by a form only', async () => {
    const url = await linkTo(await scene.open());
    const user = browser();
    await user.visit(url);
    const cookie = [...user.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const refused = await request(scene.service.app)
      .post(new URL(url).pathname)
      .set('Cookie', cookie)
      .send({ answer: 'yes' });
    expect([refused.status, refused.body.error_code]).toEqual([415, 'unsupported_media_type']);
    expect((await user.submit(url, { answer: 'yes' })).status).toBe(303);
  });

  it('works for ten minutes, and is deleted then', async () => {
    const url = await linkTo(await scene.open());
    const user = browser();
    await user.visit(url);
    const unopened = await linkTo(await scene.open());
    await scene.service.sql('UPDATE connect_link SET expires_at = now() WHERE service_user_id = $1', [
      scene.person.serviceUserId,
    ]);
    expect((await user.visit(url)).status).toBe(410);
    expect((await user.submit(url, { answer: 'yes' })).status).toBe(410);
    expect((await user.visit(unopened)).status).toBe(410);
    const { database, keys } = await openServiceDatabase(readConfig(vaultConfig, scene.service.environment));
    await new ConnectLinks(database, keys).deleteExpired();
    await database.destroy();
    expect(
      await scene.service.sql('SELECT 1 FROM connect_link WHERE service_user_id = $1', [scene.person.serviceUserId]),
    ).toEqual([]);
  });

  it('names the account as the client does, without markup of it', async () => {
    const { id } = await scene.open();
    const { clientHeaders, serviceUserId } = scene.person;
    const body = { health_system_id: id, account_name: ' <b>noah@example.org</b> ' };
    for (const { status, body: link } of [
      await post(clientHeaders, body, `?service_user_id=${serviceUserId}`),
      await post(clientHeaders, { ...body, service_user_id: serviceUserId }),
    ]) {
      expect(status).toBe(201);
      const { text } = await browser().visit((link as { url: string }).url);
      expect(text).toContain('the account <bdi>&#60;b&#62;noah@example.org&#60;/b&#62;</bdi> in <bdi>A client</bdi>');
    }
    const spanish = await browser().visit(await linkTo({ id } as ConnectedSystem), { 'Accept-Language': 'es' });
    expect([spanish.headers['content-language'], spanish.text]).toEqual([
      'es',
      expect.stringContaining('<h1>¿Es esta su cuenta?</h1>'),
    ]);
  });

  it.each(['0000', '061C', '200E', '2028', '2029', '202E', '2066', 'D800'])(
    'gives the account no name with a character that changes how the page reads: U+%s',
    async (code) => {
      const { id } = await scene.open();
      const { clientHeaders, serviceUserId: service_user_id } = scene.person;
      const account_name = `noah${String.fromCharCode(parseInt(code, 16))}@example.org`;
      const answer = await post(clientHeaders, { health_system_id: id, service_user_id, account_name });
      expect([answer.status, answer.body.error]).toEqual([400, 'account_name: must not contain control characters']);
    },
  );

  it.each([
    ['a space without width alone', '\u200b', 'must not contain control characters'],
    ['a filler', '\u3164', 'must not contain control characters'],
    ['a soft hyphen', 'no\u00adah', 'must not contain control characters'],
    ['an annotation', 'noah\ufff9', 'must not contain control characters'],
    ['a tag', 'noah\u{e0041}', 'must not contain control characters'],
    ['a blank of Braille', '\u2800', 'must have a letter or a digit'],
    ['marks that cover other lines', `a${'\u0316'.repeat(99)}`, 'must not have more than three marks on a letter'],
  ])('gives the account no name that the page does not show: %s', async (_what, account_name, problem) => {
    const { id } = await scene.open();
    const { clientHeaders, serviceUserId: service_user_id } = scene.person;
    const answer = await post(clientHeaders, { health_system_id: id, service_user_id, account_name });
    expect([answer.status, answer.body.error]).toEqual([400, `account_name: ${problem}`]);
  });

  it.each(['Zoë', 'می\u200cخواهم', 'Nguyễn', 'Ada ❤\ufe0f', '+1 555 0100'])(
    'gives the account the name %s',
    async (name) => {
      const { id } = await scene.open();
      const { clientHeaders, serviceUserId: service_user_id } = scene.person;
      const answer = await post(clientHeaders, { health_system_id: id, service_user_id, account_name: name });
      expect(answer.status).toBe(201);
      expect((await browser().visit((answer.body as { url: string }).url)).text).toContain(`<bdi>${name}</bdi>`);
    },
  );

  it('is refused with an error that names what is wrong', async () => {
    const { id } = await scene.open();
    const { clientHeaders, clientId, serviceUserId } = scene.person;
    const stranger = await newPerson(scene.service);
    const reading = byUser(scene.service.auth.addToken(clientId, serviceUserId, 'patient/*.rs'));
    const ofUser = { health_system_id: id };
    for (const [headers, body, status, code, field] of [
      [byUser(), { fhirVersion: 'r4' }, 400, 'invalid_request', 'fhirVersion: needs health_system_id'],
      [byUser(), { redirect_uri: 'https://x.example' }, 400, 'invalid_redirect_uri', 'redirect_uri'],
      [byUser(), { health_system_id: 'x' }, 400, 'invalid_request', 'health_system_id'],
      [byUser(), { ...ofUser, extra: 1 }, 400, 'invalid_request', 'extra'],
      [byUser(), { ...ofUser, fhirVersion: 'r9' }, 400, 'invalid_request', 'fhirVersion'],
      [byUser(), { ...ofUser, fhirVersion: 'dstu2' }, 400, 'unsupported_fhir_version', 'fhirVersion'],
      [byUser(), { ...ofUser, redirect_uri: 'https://x.example' }, 400, 'invalid_redirect_uri', 'redirect_uri'],
      [byUser(), { ...ofUser, account_name: 'me' }, 400, 'invalid_request', 'account_name'],
      [byUser(), { ...ofUser, service_user_id: serviceUserId }, 400, 'invalid_request', 'service_user_id'],
      [byUser(), { health_system_id: 987_654_321 }, 404, 'health_system_not_found', ''],
      [byUser(), { ...ofUser, connection_id: '018f2c3e-0000-7000-8000-000000000000' }, 404, 'connection_not_found', ''],
      [byUser('wrong'), ofUser, 401, 'invalid_token', ''],
      [reading, ofUser, 403, 'insufficient_scope', ''],
      [{}, ofUser, 401, 'missing_token', ''],
      [clientHeaders, ofUser, 400, 'invalid_request', 'service_user_id'],
      [clientHeaders, { ...ofUser, service_user_id: stranger.serviceUserId }, 404, 'user_not_found', ''],
      [
        { ...clientHeaders, client_secret: 'x' },
        { ...ofUser, service_user_id: serviceUserId },
        401,
        'invalid_client',
        '',
      ],
    ] as const) {
      const answer = await post(headers as Record<string, string>, body);
      expect([body, answer.status, answer.body.error_code]).toEqual([body, status, code]);
      expect(answer.body.error).toContain(field);
    }
    await request(scene.service.app)
      .put('/user-management/v1/user')
      .set(clientHeaders)
      .send({ service_user_id: serviceUserId, active: false })
      .expect(200);
    const inactive = await post(clientHeaders, { ...ofUser, service_user_id: serviceUserId });
    expect([inactive.status, inactive.body.error_code]).toEqual([403, 'user_inactive']);
  });

  it('leads to the connect pages without a health system, in the browser that opens it first', async () => {
    const { clientHeaders, serviceUserId: service_user_id } = scene.person;
    const { status, body } = await post(clientHeaders, { service_user_id, account_name: 'noah', state: 's' });
    expect(status).toBe(201);
    const { url } = body as { url: string };
    const link = url.split('/').at(-1);
    const user = browser();
    const opened = await user.visit(url, html);
    expect([opened.status, opened.headers['location']]).toEqual([302, `${baseUrl}/connect?link=${link}`]);
    expect(opened.headers['set-cookie']).toEqual([expect.stringContaining('SameSite=Lax')]);
    expect((await browser().visit(url)).status).toBe(410);
    expect((await user.submit(url, { answer: 'yes' })).status).toBe(410);
  });

  it('is kept when the answer cannot be carried out at the moment', async () => {
    const at = await scene.open();
    const url = await linkTo(at);
    const user = browser();
    await user.visit(url);
    scene.service.auth.isUnavailable = true;
    expect((await user.submit(url, { answer: 'yes' })).status).toBe(503);
    scene.service.auth.isUnavailable = false;
    expect((await user.submit(url, { answer: 'yes' })).status).toBe(303);
  });

  it('ends with the user', async () => {
    const url = await linkTo(await scene.open());
    const user = browser();
    await user.visit(url);
    await request(scene.service.app)
      .delete('/user-management/v1/user')
      .set(scene.person.clientHeaders)
      .send({ service_user_id: scene.person.serviceUserId })
      .expect(200);
    expect((await user.submit(url, { answer: 'yes' })).status).toBe(410);
  });

  it('leaves no secret in the database or the log', async () => {
    const url = await linkTo(await scene.open(), { state: 'a secret of the app' });
    const user = browser();
    await user.visit(url);
    const secret = url.split('/').at(-1)!;
    const [row] = await scene.service.sql('SELECT connect_link::text FROM connect_link WHERE service_user_id = $1', [
      scene.person.serviceUserId,
    ]);
    for (const value of [
      secret,
      Buffer.from(secret).toString('hex'),
      'a secret of the app',
      [...user.cookies.values()][0]!,
    ])
      expect(JSON.stringify(row)).not.toContain(value);
  });

  it.each([
    ['yes', 'connect.begun'],
    ['no', 'connect.finished'],
  ])('is an event of the audit log, as the answer %s is: %s', async (answer, kind) => {
    const at = await scene.open();
    const url = await linkTo(at);
    const user = browser();
    await user.visit(url);
    await user.submit(url, { answer });
    const { clientId, serviceUserId } = scene.person;
    expect(scene.service.events.filter(({ subject }) => subject === serviceUserId)).toMatchObject([
      expect.objectContaining({ kind: 'user.created' }),
      {
        kind: 'connect.link-created',
        status: 201,
        agent: { clientId },
        entities: [{ type: 'HealthSystem', id: String(at.id) }],
      },
      {
        kind,
        outcome: 'success',
        status: 303,
        agent: { clientId },
        entities: [{ type: 'HealthSystem', id: String(at.id) }],
      },
    ]);
  });
});
