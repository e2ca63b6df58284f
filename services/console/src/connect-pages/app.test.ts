import { InternalCallError } from '@tributary/contracts';
import { BrowserCookie } from '@tributary/service-kit';
import { connectionWith } from '../../test/connection';
import { ConsoleUnderTest, PageBrowser, client, userToken } from '../../test/console-under-test';
import { PageSessions } from './sessions/page-sessions';

const [first, second] = ['9b2e7f0e-3e0c-4a53-9b5e-0e8f3f3d1c11', '9b2e7f0e-3e0c-4a53-9b5e-0e8f3f3d1c12'];

describe('the connect pages', () => {
  let pages: ConsoleUnderTest;
  let browser: PageBrowser;
  beforeAll(async () => {
    pages = await ConsoleUnderTest.start();
  });
  afterAll(() => pages.stop());
  beforeEach(async () => {
    await pages.reset();
    browser = new PageBrowser(pages.app);
  });

  const opening = (more: Record<string, string> = {}): string =>
    `/connect?${new URLSearchParams({ client_id: client.client_id, access_token: userToken, ...more }).toString()}`;

  describe('when opened', () => {
    it('take the token out of the address at once', async () => {
      const { status, headers, text } = await browser.get(opening({ query: 'st. mary' }));
      expect(status).toBe(303);
      expect(headers['location']).toMatch(/^\/connect\/pages\/[\w-]{22}\/search\?query=st.\+mary$/);
      expect(headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^connect-[0-9a-f]{16}=[\w-]{43}; Max-Age=3(?:600|5\d\d); Path=\/; HttpOnly; SameSite=Lax$/,
        ),
      ]);
      expect([headers['referrer-policy'], headers['cache-control']]).toEqual(['no-referrer', 'no-store']);
      expect(headers['cross-origin-opener-policy']).toBeUndefined();
      expect(text + JSON.stringify(headers)).not.toContain(userToken);
    });

    it.each([
      ['another client', { client_id: 'another' }, 401, 'invalid_client'],
      ['an unknown token', { access_token: 'unknown-token-0123456789' }, 401, 'invalid_token'],
      ['a token of another client', { access_token: 'token-of-another-client-0123' }, 401, 'invalid_token'],
      ['a token of no user', { access_token: 'token-of-a-system-0123456789' }, 401, 'invalid_token'],
      ['a token that only reads', { access_token: 'token-that-reads-0123456789' }, 403, 'insufficient_scope'],
      ['an address that is not registered', { redirect_uri: 'https://evil.example/' }, 400, 'invalid_redirect_uri'],
      ['an unknown parameter', { stat: 'x' }, 400, 'invalid_request'],
    ])('refuse %s', async (_what, query, status, code) => {
      pages.addToken('token-of-another-client-0123', { client_id: 'another' });
      pages.addToken('token-of-a-system-0123456789', { service_user_id: undefined });
      pages.addToken('token-that-reads-0123456789', { scope: 'patient/*.rs' });
      const refused = await browser.get(opening(query), '*/*');
      expect([refused.status, refused.body.error_code]).toEqual([status, code]);
      expect(refused.headers['set-cookie']).toBeUndefined();
    });

    it('by a link go on in the browser that has its cookie, and name the account', async () => {
      const link = 'l'.repeat(43);
      const opened = { client_id: client.client_id, access_token: userToken, account_name: 'noah', state: 's' };
      pages.links.set(link, { ...opened, redirect_uri: 'bettersleep://back', browserSecret: 'of the browser' });
      const [cookie = ''] = new BrowserCookie('http://tributary.test').set(link, 'of the browser', 600).split(';');
      const [name = '', secret = ''] = cookie.split('=');
      expect((await browser.get(`/connect?link=${link}`, '*/*')).body.error_code).toBe('connect_link_ended');
      browser.cookies.set(name, 'of another');
      const refused = await browser.get(`/connect?link=${link}`);
      expect([refused.status, refused.text]).toEqual([410, expect.stringContaining('page_ended')]);
      browser.cookies.set(name, secret);
      const { status, headers } = await browser.get(`/connect?link=${link}`);
      expect(status).toBe(303);
      const page = String(headers['location']);
      expect(page).toMatch(/^\/connect\/pages\/[\w-]{22}$/);
      expect((await browser.get(`${page}/systems/5`)).text).toContain('"accountName":"noah"');
      expect((await browser.get(`${page}/done`)).headers['location']).toBe(
        'bettersleep://back?success=false&error=access_denied&state=s',
      );
      expect((await browser.get(`/connect?link=${link}`)).status).toBe(410);
    });

    it('begin with the places of a user who has some, and with the search otherwise', async () => {
      const page = await browser.open();
      expect((await browser.get(page)).headers['location']).toBe(`${page}/search`);
      pages.connections = [connectionWith()];
      expect((await browser.get(page)).headers['location']).toBe(`${page}/places`);
    });
  });

  describe('belong to a browser', () => {
    it('that has opened them, and to each tab its own', async () => {
      const [one, two] = [await browser.open(), await browser.open()];
      expect(one).not.toBe(two);
      for (const page of [one, two]) expect((await browser.get(`${page}/search`)).status).toBe(200);
      const other = await new PageBrowser(pages.app).get(`${one}/search`, 'application/json');
      expect([other.status, other.body.error_code]).toEqual([410, 'connect_page_ended']);
    });

    it('as long as the token is valid', async () => {
      const page = await browser.open();
      pages.tokens.clear();
      const ended = await browser.get(`${page}/places`);
      expect([ended.status, ended.text]).toEqual([401, expect.stringContaining('"error":"sign_in_ended"')]);
      // The way back stays.
      expect((await browser.get(`${page}/done`)).headers['location']).toContain('https://app.example/back');
    });

    it('and take answers of their own forms only', async () => {
      const page = await browser.open();
      for (const origin of ['https://evil.example', 'null', 'http://sub.tributary.test']) {
        const refused = await browser.post(`${page}/systems/5`, {}, { Origin: origin });
        expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('"foreign_form"')]);
        expect((await browser.post(`${page}/disconnect`, { connection_id: first }, { Origin: origin })).status).toBe(
          403,
        );
      }
      expect((await browser.post(`${page}/systems/5`, {}, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
      expect(pages.begun).toEqual([]);
    });
  });

  it('find health systems with the token of the user, and load no logo from elsewhere', async () => {
    const entry = { id: 5, name: 'Lakeside', address: '1 Lake St', fhirVersions: ['r4' as const], connectable: true };
    pages.found = [
      { ...entry, logo: 'data:image/png;base64,AA==' },
      { ...entry, id: 6, connectable: false, logo: 'https://elsewhere.example/logo.png' },
    ];
    const page = await browser.open();
    const { body } = await browser.get(`${page}/search?query=lake&offset=20`, 'application/json');
    const system = { name: 'Lakeside', address: '1 Lake St' };
    expect(body).toEqual({
      language: 'en',
      appName: 'Better Sleep',
      messageOrigins: ['https://app.example'],
      leaveUrl: `${page}/done`,
      screen: {
        name: 'search',
        path: page,
        query: 'lake',
        offset: 20,
        total: 2,
        limit: 20,
        systems: [
          { id: 5, ...system, isConnectable: true, logo: 'data:image/png;base64,AA==' },
          { id: 6, ...system, isConnectable: false },
        ],
        hasPlaces: false,
      },
    });
    await browser.get(`${page}/search`);
    expect(pages.asked.filter(({ url }) => url === '/api/search')).toEqual([
      {
        method: 'POST',
        url: '/api/search',
        authorization: `Bearer ${userToken}`,
        body: { query: 'lake', offset: 20, connectable: false },
      },
      {
        method: 'POST',
        url: '/api/search',
        authorization: `Bearer ${userToken}`,
        body: { query: '', offset: 0, connectable: true },
      },
    ]);
  });

  it('pass on where the user is from the scripts, and keep it nowhere', async () => {
    const entry = { id: 5, name: 'Lakeside', address: '', fhirVersions: ['r4' as const], connectable: true };
    pages.found = [{ ...entry, distance_km: 12 }, entry];
    const page = await browser.open();
    const near = { 'Connect-Near': '38.9,-77.0' };
    const { body, headers } = await browser.get(`${page}/search?query=lake`, 'application/json', near);
    const system = { id: 5, name: 'Lakeside', address: '', isConnectable: true };
    expect(body.screen.systems).toEqual([{ ...system, distanceKm: 12 }, system]);
    expect(JSON.stringify([body, headers])).not.toContain('38.9');
    await browser.get(`${page}/search?query=lake`, 'application/json');
    const asked = { query: 'lake', offset: 0, connectable: false };
    expect(pages.asked.filter(({ url }) => url === '/api/search').map(({ body: sent }) => sent)).toEqual([
      { ...asked, near: { latitude: 38.9, longitude: -77 } },
      asked,
    ]);
    for (const unrounded of ['38.91,-77', '38.9', '38.9,-77,5', 'x,y', ''])
      expect((await browser.get(`${page}/search`, 'application/json', { 'Connect-Near': unrounded })).status).toBe(400);
    expect((await browser.get(`${page}/search?near=38.9,-77.0`)).status).toBe(400);
  });

  it('let the search alone ask the browser where the user is', async () => {
    const page = await browser.open();
    const policies = await Promise.all(
      ['search', 'systems/5', 'places'].map(
        async (screen) => (await browser.get(`${page}/${screen}`)).headers['permissions-policy'],
      ),
    );
    expect(policies).toEqual(['geolocation=(self)', 'geolocation=()', 'geolocation=()']);
  });

  it('do not show a health system of the other mode', async () => {
    const page = await browser.open();
    pages.systems.set(6, { ...pages.systems.get(5)!, id: 6, mode: 'live' });
    expect((await browser.get(`${page}/systems/5`)).status).toBe(200);
    for (const id of [6, 7]) {
      const { status, text } = await browser.get(`${page}/systems/${id}`);
      // It leads to another place.
      expect([status, text]).toEqual([404, expect.stringContaining(`"error":"unknown_system","path":"${page}"`)]);
    }
  });

  it('begin a session for their user, and pass its cookies on', async () => {
    const page = await browser.open();
    const { status, headers } = await browser.post(`${page}/systems/5`, {
      connection_id: first,
      confirm_person: 'true',
    });
    expect([status, headers['location']]).toEqual([303, 'https://lakeside.example/authorize?state=s']);
    expect(browser.cookies.get('connect-state')).toBe('c');
    expect(pages.begun).toEqual([
      {
        client_id: 'better-sleep',
        service_user_id: 7,
        health_system_id: 5,
        connection_id: first,
        confirm_person: true,
        return_path: `${page}/return`,
      },
    ]);
  });

  it.each([
    [new InternalCallError('user-management', 429, 'too_many_requests', 'slow down', 30), 429, 'too_many_requests'],
    [new InternalCallError('user-management', 404, 'connection_not_found', 'none'), 404, 'unknown_connection'],
    [new InternalCallError('user-management', 0, 'not_connected', 'no response'), 503, 'unavailable'],
  ])('say why a session cannot begin: %s', async (refusal, status, error) => {
    const page = await browser.open();
    pages.refusal = refusal;
    const refused = await browser.post(`${page}/systems/5`, {});
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(`"error":"${error}"`)]);
  });

  describe('in a frame', () => {
    const inFrame = { 'Sec-Fetch-Dest': 'iframe' };

    it('open the health system in a window of the same browser, by a ticket', async () => {
      const page = await browser.open({}, inFrame);
      const { body } = await browser.get(`${page}/systems/5`, 'application/json', inFrame);
      expect(body.screen.window).toEqual({ ticket: expect.stringMatching(/^[\w-]{43}$/), made: 0 });
      // Outside of the frame nobody has its cookie.
      expect(body.leaveUrl).toBe('https://app.example/back?keep=1&success=false&error=access_denied');
      const { ticket } = body.screen.window as { ticket: string };

      // The window has no cookie of the frame.
      const opened = new PageBrowser(pages.app);
      expect((await opened.post(`${page}/systems/5`, {})).status).toBe(410);
      const { status, headers } = await opened.post(`${page}/systems/5`, { ticket });
      expect([status, headers['location']]).toEqual([303, 'https://lakeside.example/authorize?state=s']);
      const returned = await opened.get(`${page}/return?success=true&connection_id=${first}&health_system_id=5`);
      expect(returned.headers['location']).toBe(`${page}/window`);
      expect((await opened.get(`${page}/window`)).status).toBe(200);

      const { body: places } = await browser.get(`${page}/places`, 'application/json');
      expect(places.screen.made).toEqual([{ connectionId: first, healthSystemId: 5 }]);
    });

    it('take a ticket for its own page only', async () => {
      const [page, other] = [await browser.open({}, inFrame), await browser.open({}, inFrame)];
      const { body } = await browser.get(`${page}/systems/5`, 'application/json', inFrame);
      const { ticket } = body.screen.window as { ticket: string };
      expect((await new PageBrowser(pages.app).post(`${other}/systems/5`, { ticket })).status).toBe(410);
      expect((await new PageBrowser(pages.app).post(`${page}/systems/5`, { ticket: 'x' })).status).toBe(410);
      expect(pages.begun).toEqual([]);
    });

    it('show an error that has no data when nobody knows the application', async () => {
      const page = await browser.open({}, inFrame);
      const ended = await new PageBrowser(pages.app).get(`${page}/search`, 'text/html', inFrame);
      const isAway = Object.assign(new Error('Redis is away'), { code: 'ECONNREFUSED' });
      jest.spyOn(PageSessions.prototype, 'find').mockRejectedValueOnce(isAway);
      const away = await browser.get(`${page}/search`, 'text/html', inFrame);
      const errors = [
        [ended, 'page_ended'],
        [away, 'unavailable'],
        [await browser.get(opening({ client_id: 'another' }), 'text/html', inFrame), 'unknown_app'],
      ] as const;
      for (const [{ headers, text }, error] of errors) {
        expect([headers['content-security-policy'], text]).toEqual([
          expect.stringMatching(/; frame-ancestors \*$/),
          expect.stringContaining(`"messageOrigins":[],"screen":{"name":"error","error":"${error}","code"`),
        ]);
        expect(headers['x-frame-options']).toBeUndefined();
      }
    });

    it('show an error of a known application to its own pages only', async () => {
      const page = await browser.open({}, inFrame);
      const { headers, text } = await browser.get(`${page}/systems/7`, 'text/html', inFrame);
      expect(text).toContain('"error":"unknown_system"');
      expect(headers['content-security-policy']).toMatch(/; frame-ancestors 'none'$/);
    });

    it('let a window try again by itself after a failure', async () => {
      const page = await browser.open({}, inFrame);
      const { headers } = await browser.get(`${page}/return?success=false&error=other_person&health_system_id=5`);
      const { body } = await browser.get(String(headers['location']), 'application/json');
      expect(body.screen).toMatchObject({ error: 'other_person' });
      expect(body.screen.window).toBeUndefined();
    });
  });

  it('lead back to the application with every connection that was made, once, and its state', async () => {
    const page = await browser.open({ redirect_uri: 'bettersleep://back', state: 'a&b' });
    const returned = await browser.get(
      `${page}/return?success=true&connection_id=${first}&connection_id=${second}&health_system_id=5&state=x`,
    );
    expect([returned.status, returned.headers['location']]).toEqual([303, `${page}/places`]);
    await browser.get(`${page}/return?success=true&connection_id=${first}&health_system_id=5&other_person=true`);
    expect((await browser.get(`${page}/made`, 'application/json')).body).toEqual({ made: 3 });
    expect((await browser.get(`${page}/done`)).headers['location']).toBe(
      `bettersleep://back?success=true&connection_id=${first}&connection_id=${second}&health_system_id=5&other_person=true&state=a%26b`,
    );
  });

  it('end soon after the user has left them', async () => {
    const page = await browser.open();
    await browser.get(`${page}/done`);
    expect((await browser.get(`${page}/done`)).status).toBe(303);
    const seconds = await pages.secondsLeft();
    expect(Math.max(...seconds)).toBeLessThanOrEqual(30);
  });

  it('do not lead to an address that is not registered any more', async () => {
    const page = await browser.open({ redirect_uri: 'bettersleep://back' });
    pages.redirectUris = ['https://app.example/back?keep=1'];
    expect((await browser.get(`${page}/done`)).status).toBe(400);
  });

  it('lead back without a connection as a denied access does', async () => {
    const page = await browser.open();
    expect((await browser.get(`${page}/done`)).headers['location']).toBe(
      'https://app.example/back?keep=1&success=false&error=access_denied',
    );
  });

  it('show why the health system gave nothing, at the same place', async () => {
    const page = await browser.open();
    const { headers } = await browser.get(`${page}/return?success=false&error=other_person&health_system_id=5`);
    expect(headers['location']).toBe(`${page}/systems/5?error=other_person`);
    const { body } = await browser.get(String(headers['location']), 'application/json');
    expect(body.screen).toMatchObject({ name: 'review', error: 'other_person', system: { id: 5, name: 'Lakeside' } });
  });

  it('show what has arrived, by type and year, of the newest release of each place', async () => {
    const elsewhere = connectionWith({ fhirVersion: 'stu3', health_system: { id: 6, name: 'Hilltop' } });
    pages.connections = [connectionWith(), connectionWith({ fhirVersion: 'dstu2' }), elsewhere];
    const count = (type: string, value: number, year?: number): object => ({
      name: 'count',
      part: [
        { name: 'type', valueCode: type },
        ...(year === undefined ? [] : [{ name: 'year', valueInteger: year }]),
        { name: 'value', valueInteger: value },
      ],
    });
    const observations = [count('Observation', 3, 2026), count('Observation', 2), count('Binary', 4)];
    pages.counts.set('r4', { resourceType: 'Parameters', parameter: observations });
    pages.counts.set('stu3', { resourceType: 'Parameters' });
    const page = await browser.open();
    const arrivedIn = async (): Promise<unknown> =>
      (await browser.get(`${page}/places`, 'application/json')).body.screen.arrived;
    expect(await arrivedIn()).toEqual([
      { type: 'Observation', year: 2026, count: 3 },
      { type: 'Observation', count: 2 },
    ]);
    const asked = pages.asked.filter(({ url }) => url.includes('$counts'));
    expect(asked.map(({ url, authorization }) => [url, authorization]).toSorted()).toEqual(
      ['r4', 'stu3'].map((release) => [`/${release}/$counts?_releasePerSource=newest`, `Bearer ${userToken}`]),
    );
    pages.connections.push(connectionWith({ status: 'collecting' }));
    expect(await arrivedIn()).toEqual([]);
  });

  it('show the places also where nothing can be counted', async () => {
    pages.connections = [connectionWith()];
    const page = await browser.open();
    const { status, body } = await browser.get(`${page}/places`, 'application/json');
    expect([status, body.screen.places.length, body.screen.arrived]).toEqual([200, 1, []]);
  });

  it('disconnect every release of a place with the token of the user', async () => {
    pages.connections = [connectionWith({ connection_id: first }), connectionWith({ connection_id: second })];
    const page = await browser.open();
    const { status, headers } = await browser.post(`${page}/disconnect`, { connection_id: [first, second] });
    expect([status, headers['location']]).toEqual([303, `${page}/places`]);
    expect(pages.asked.map(({ method, url, authorization }) => [method, url, authorization])).toEqual(
      [first, second].map((id) => ['DELETE', `/connect/v1/connections/${id}`, `Bearer ${userToken}`]),
    );
    expect((await browser.get(`${page}/disconnect`)).headers['location']).toBe(`${page}/places`);
    const unknown = await browser.post(`${page}/disconnect`, { connection_id: '9b2e7f0e-3e0c-4a53-9b5e-0e8f3f3d1c13' });
    expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining('unknown_connection')]);
  });

  it('are documents that only their own files can change', async () => {
    const { headers, text } = await browser.get(`${await browser.open()}/search`);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect([headers['referrer-policy'], headers['cache-control']]).toEqual(['same-origin', 'no-store']);
    expect(text).toContain('<h1>search</h1>');
    expect(text).not.toContain(userToken);
  });

  it('cannot be left by text of others in their data', async () => {
    pages.systems.set(5, { ...pages.systems.get(5)!, name: '</script><script>alert(1)</script>' });
    const { text } = await browser.get(`${await browser.open()}/systems/5`);
    expect(text.match(/<\/script>/g)).toHaveLength(2);
  });

  it('are in the language of the browser, and in the theme of the user', async () => {
    const page = await browser.open();
    browser.cookies.set('connect-theme', 'dark');
    const { text, headers } = await browser.get(`${page}/search`);
    expect([text, headers['content-language']]).toEqual([
      expect.stringContaining('<html lang="en" data-theme="dark">'),
      'en',
    ]);
    browser.cookies.set('connect-theme', '"><script>');
    expect((await browser.get(`${page}/search`)).text).toContain('<html lang="en">');
  });

  it('say that a part is away, and how to go back', async () => {
    const page = await browser.open();
    pages.isApiAway = true;
    const { status, text } = await browser.get(`${page}/places`);
    expect(status).toBe(503);
    expect(text).toContain('"error":"unavailable"');
    expect(text).toContain('"backUrl":"https://app.example/back?keep=1&success=false&error=access_denied"');
  });

  it('tell the address of no error to anybody, as the first one has the token', async () => {
    const { headers } = await browser.get(opening({ redirect_uri: 'https://evil.example/' }));
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('send their files for good, by name', async () => {
    const { status, headers, text } = await browser.get('/connect/assets/main.js');
    expect([status, headers['cache-control'], text]).toEqual([200, 'public, max-age=31536000, immutable', 'let x;']);
    expect((await browser.get('/connect/assets/names.json')).status).toBe(404);
    expect((await browser.get(`/connect/assets/..%2fmain.js`)).status).toBe(400);
  });
});
