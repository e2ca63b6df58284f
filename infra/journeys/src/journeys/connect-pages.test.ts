import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityProblems, hasBrowser, launchBrowser } from '../suite/browser';
import { http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type User, newClient, newUser } from '../suite/users';

const ready = readySuite();

(hasBrowser ? describe : describe.skip)('the pages of connect in a browser', () => {
  const appName = 'Journeys & <Friends>';
  const patient = ready.sandbox.patients[0]!;
  const { health_system_id: systemId } = ready.sandbox;
  let browser: Browser;
  let user: User;
  beforeAll(async () => {
    user = await newUser(ready, await newClient(ready, appName));
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const connectUrl = (more: Record<string, string> = {}, id: number | string = systemId): string =>
    `${ready.base_url}/connect/system/clinical/${id}?${new URLSearchParams({ client_id: user.client_id, access_token: user.access_token, ...more }).toString()}`;
  const atOnce = { fhirVersion: patient.releases[0]!, prompt: 'none', login_hint: patient.username };

  /** A link of the user, or of the client with a name of the account. */
  async function newLink(accountName?: string): Promise<string> {
    const { client_id, client_secret, service_user_id, access_token } = user;
    const body = { health_system_id: systemId, ...atOnce, state: 'of the app' };
    const created = await http(
      'POST',
      `${ready.base_url}/connect/v1/links`,
      accountName === undefined
        ? { headers: { Authorization: `Bearer ${access_token}` }, json: body }
        : { headers: { client_id, client_secret }, json: { ...body, service_user_id, account_name: accountName } },
    );
    expect(created.status).toBe(201);
    return created.json.text('url');
  }

  /** The callback of a visit that another browser has begun. */
  async function callbackOfAnotherBrowser(): Promise<string> {
    const toSystem = await http('GET', connectUrl(atOnce));
    return String((await http('GET', String(toSystem.headers.get('location')))).headers.get('location'));
  }

  /** The callback of a visit that the page has completed, and whose end is not kept any more. */
  async function usedCallback(page: Page): Promise<string> {
    const visited: string[] = [];
    page.on('request', (request) => visited.push(request.url()));
    await page.goto(connectUrl(atOnce));
    await page.waitForURL(`${ready.client.redirect_uri}**`);
    const used = (await page.context().cookies()).filter(({ value }) => value.startsWith('used.'));
    await page.context().addCookies(used.map((cookie) => ({ ...cookie, value: `used.${'x'.repeat(43)}` })));
    return String(visited.find((url) => url.startsWith(`${ready.base_url}/connect/callback`)));
  }

  /** The address that leads to each error, by the titles of its page in both languages. */
  const errors: [english: string, spanish: string, addressOf: (page: Page) => string | Promise<string>][] = [
    ['There is no page here', 'Aquí no hay ninguna página', () => `${ready.base_url}/connect/system`],
    ['This link does not work', 'Este enlace no funciona', () => connectUrl({ fhirVersion: 'r9' })],
    [
      'This app is not known here',
      'Esta aplicación no es conocida aquí',
      () => connectUrl({ client_id: 'nobody', state: 'A bank' }),
    ],
    ['Your sign-in has ended', 'Su sesión ha terminado', () => connectUrl({ access_token: 'wrong' })],
    [
      'We stopped to protect your record',
      'Nos hemos detenido para proteger su historial',
      () => connectUrl({ redirect_uri: 'https://elsewhere.example/' }),
    ],
    [
      'This health system was not found',
      'No se ha encontrado este sistema de salud',
      () => connectUrl({}, 987_654_321),
    ],
    [
      'This connection was not found',
      'No se ha encontrado esta conexión',
      () => connectUrl({ connection_id: '018f2c3e-0000-7000-8000-000000000000' }),
    ],
    ['This link has ended', 'Este enlace ya no es válido', () => `${ready.base_url}/connect/links/${'x'.repeat(43)}`],
    [
      'You came back with an incomplete link',
      'Ha vuelto con un enlace incompleto',
      () => `${ready.base_url}/connect/callback?code=x`,
    ],
    [
      'This sign-in is not open in this browser',
      'Este inicio de sesión no está abierto en este navegador',
      () => `${ready.base_url}/connect/callback?state=${'x'.repeat(43)}`,
    ],
    [
      'This sign-in is not open in this browser',
      'Este inicio de sesión no está abierto en este navegador',
      () => callbackOfAnotherBrowser(),
    ],
    ['This sign-in is finished already', 'Este inicio de sesión ya ha terminado', usedCallback],
  ];

  /** Opens a page in a new context, and collects what violates its Content-Security-Policy. */
  async function newPage(settings: BrowserContextOptions): Promise<{ page: Page; violations: string[] }> {
    const page = await (await browser.newContext(settings)).newPage();
    const violations: string[] = [];
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) violations.push(message.text());
    });
    return { page, violations };
  }

  async function shot(page: Page, name: string): Promise<void> {
    const folder = process.env['JOURNEY_SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name.replaceAll(' ', '-')}.png`, fullPage: true });
  }

  const narrow = { width: 320, height: 640 };

  it.each([
    ['English, light', 'en-US', 'light', 0],
    ['Spanish, dark', 'es-MX', 'dark', 1],
  ] as const)(
    'say what happened, accessibly and at a width of 320 pixels: %s',
    async (_name, locale, colorScheme, at) => {
      for (const error of errors) {
        const { page, violations } = await newPage({ locale, colorScheme, viewport: narrow });
        await page.goto(await error[2](page));
        const title = error[at];
        expect([await page.locator('h1').textContent(), await page.title()]).toEqual([title, title]);
        await page.locator('summary').click();
        expect([title, ...(await accessibilityProblems(page)), ...violations]).toEqual([title]);
        expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
        const text = String(await page.locator('main').textContent());
        for (const unwanted of ['{', 'undefined', user.access_token, 'elsewhere', 'A bank'])
          expect([title, text.includes(unwanted)]).toEqual([title, false]);
        await shot(page, `${colorScheme} ${title}`);
        await page.context().close();
      }
    },
  );

  it.each([
    ['en-US', 'light', 'noah@example.org', 'Is this your account?', 'Yes, continue'],
    ['es-MX', 'dark', undefined, '¿Es esta su cuenta?', 'Sí, continuar'],
  ] as const)(
    'ask whose account a link is about, and connect after a yes: %s',
    async (locale, colorScheme, accountName, title, yes) => {
      const { page, violations } = await newPage({ locale, colorScheme, viewport: narrow });
      await page.goto(await newLink(accountName));
      expect([await page.locator('h1').textContent(), await page.title()]).toEqual([title, title]);
      const text = String(await page.locator('main').textContent());
      for (const shown of [appName, 'Sandbox Health System', accountName ?? appName]) expect(text).toContain(shown);
      expect(text).not.toMatch(/[{}]|undefined/);
      expect(await accessibilityProblems(page)).toEqual([]);
      await shot(page, `${colorScheme} link`);
      await page.getByRole('button', { name: yes }).click();
      await page.waitForURL(`${ready.client.redirect_uri}**`);
      const { searchParams } = new URL(page.url());
      expect([searchParams.get('success'), searchParams.get('state')]).toEqual(['true', 'of the app']);
      expect(violations).toEqual([]);
      await page.context().close();
    },
  );

  it('lead back to the app by the keyboard after a no, and a link that was answered has ended', async () => {
    const { page, violations } = await newPage({ viewport: narrow });
    const link = await newLink();
    await page.goto(link);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('No, stop here');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${ready.client.redirect_uri}**`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.goto(link);
    expect(await page.title()).toBe('This link has ended');
    expect(violations).toEqual([]);
    await page.context().close();
  });

  // Another port is the same site, as a sibling domain is: browsers send the cookie.
  const { protocol, hostname } = new URL(ready.base_url);
  it.each([
    ['http://elsewhere.example', false],
    ['http://elsewhere.example', true],
    [`${protocol}//${hostname}:8999`, true],
  ])('cannot be answered by %s (opened before: %s), nor be framed', async (elsewhere, opensBefore) => {
    const { page } = await newPage({ viewport: narrow });
    const link = await newLink();
    if (opensBefore) await page.goto(link);
    const form = `<form method="post" action="${link}"><input name="answer" value="yes"></form><script>document.forms[0].submit()</script>`;
    await page.route(`${elsewhere}/**`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: route.request().url().endsWith('/frame') ? `<iframe src="${link}"></iframe>` : form,
      }),
    );
    await page.goto(`${elsewhere}/form`);
    await page.waitForURL(link);
    expect(await page.title()).toBe('The answer did not come from our page');
    await page.goto(`${elsewhere}/frame`);
    const [, frame] = page.frames();
    // The page of the browser in its place has a heading as well.
    expect(await frame?.locator('h1').allTextContents()).not.toContain('Is this your account?');
    expect(await frame?.getByRole('button', { name: 'Yes, continue' }).count()).toBe(0);
    await page.context().close();
  });

  it('lead back to the app by the keyboard, with a visible focus', async () => {
    const { page, violations } = await newPage({ viewport: narrow });
    await page.goto(connectUrl({ access_token: 'wrong', state: 'of the app' }));
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe(`Back to ${appName}`);
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${ready.client.redirect_uri}**`);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      success: 'false',
      error: 'server_error',
      health_system_id: String(systemId),
      state: 'of the app',
    });
    expect(violations).toEqual([]);
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)(
    'and those of the sandbox are accessible at a width of 320 pixels, with a gutter: %s',
    async (colorScheme) => {
      const { page, violations } = await newPage({ colorScheme, viewport: narrow });
      const check = async (name: string): Promise<void> => {
        expect([name, ...(await accessibilityProblems(page)), ...violations]).toEqual([name]);
        const { x, width } = (await page.locator('.card').first().boundingBox())!;
        expect([name, x >= 24, x + width <= narrow.width - 24]).toEqual([name, true, true]);
        await shot(page, `${colorScheme} ${name}`);
      };
      await page.goto(connectUrl({ fhirVersion: patient.releases[0]! }));
      await check('sign-in');
      await page.getByLabel('Username').fill(patient.username);
      await page.getByLabel('Password').fill(patient.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('The access has no end date.').waitFor();
      await check('consent');
      await page.context().close();
    },
  );
});
