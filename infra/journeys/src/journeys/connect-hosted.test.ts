import { waitUntil } from '@tributary/test-environment';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityProblems, hasBrowser, launchBrowser } from '../suite/browser';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type ClientCredentials, type User, collected, connect, newClient, newUser } from '../suite/users';

const ready = readySuite();
const systemId = ready.sandbox.health_system_id;
/** People of the sandbox, generated with a short record. */
const [parent, child] = ['brief-11', 'brief-12'] as const;
const password = ready.sandbox.patients[0]!.password;
const phone = { viewport: { width: 390, height: 844 }, locale: 'en-US' };
/** A page of 1280 px at 400 % zoom. */
const zoomed = { viewport: { width: 320, height: 256 }, locale: 'en-US' };
/** Where the pages lead back to. */
const appAddress = ready.client.redirect_uri;

(hasBrowser ? describe : describe.skip)('the hosted connect pages in a browser', () => {
  const appName = 'Journeys & <Friends>';
  let browser: Browser;
  let client: ClientCredentials;
  /** Has connected the record of the parent. */
  let connected: User;
  beforeAll(async () => {
    client = await newClient(ready, appName);
    [browser, connected] = await Promise.all([launchBrowser(), newUser(ready, client)]);
    const body = { query: '', connectable: true };
    const search = (): ReturnType<typeof http> =>
      http('POST', `${ready.search_url}/api/search`, { headers: bearer(connected.access_token), json: body });
    // The registrations are copied every five seconds.
    const isFound = async (): Promise<boolean> => (await search()).json.list('entry').length > 0;
    await Promise.all([
      waitUntil(isFound, 'the sandbox is connectable', 200),
      connect(ready, connected, parent).then(() => collected(ready, connected)),
    ]);
  });
  afterAll(() => browser?.close());
  const contexts: BrowserContext[] = [];
  afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));

  async function newContext(settings: BrowserContextOptions = phone): Promise<BrowserContext> {
    const context = await browser.newContext(settings);
    contexts.push(context);
    return context;
  }

  const newPage = async (settings?: BrowserContextOptions): Promise<Page> => (await newContext(settings)).newPage();

  const addressFor = (user: User, more: Record<string, string> = {}): string =>
    `${ready.base_url}/connect?${new URLSearchParams({ client_id: user.client_id, access_token: user.access_token, ...more }).toString()}`;

  /** Opens a page. @returns its address, under which its screens are */
  async function open(page: Page, user: User, more?: Record<string, string>): Promise<string> {
    await page.goto(addressFor(user, more));
    return page.url().split('/').slice(0, 6).join('/');
  }

  const sandboxIn = (page: Page): ReturnType<Page['locator']> => page.locator(`a[href$="/systems/${systemId}"]`);
  const titleIs = (page: Page, title: string): Promise<void> => page.getByRole('heading', { name: title }).waitFor();

  async function chooseSandbox(page: Page): Promise<void> {
    await sandboxIn(page).click();
    await page.waitForURL('**/systems/**');
  }

  async function signIn(page: Page, username: string): Promise<void> {
    await page.getByRole('button', { name: /^(Continue to|Try again|Yes, add)/ }).click();
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  const decide = (page: Page, decision: 'Allow' | 'Refuse'): Promise<void> =>
    page.getByRole('button', { name: decision }).click();

  it('lead a patient with a phone from a mistyped name to the app', async () => {
    const user = await newUser(ready, client);
    const page = await newPage();
    await open(page, user, { state: 'of the app' });
    await titleIs(page, `${appName} wants to read your health records`);
    await page.getByLabel('Where do you get care?').fill('sandbx helth');
    await page.waitForURL('**/search?query=sandbx+helth');
    await chooseSandbox(page);
    await titleIs(page, `Share your records with ${appName}?`);
    await signIn(page, parent);
    await decide(page, 'Allow');
    await titleIs(page, 'Your records');
    await page.getByText('Up to date').waitFor();
    const arrived = page.locator('section', { has: page.getByRole('heading', { name: 'What has arrived' }) });
    await arrived.getByText('Lab results and vital signs').click();
    await arrived
      .getByRole('row', { name: /^20\d\d \d+$/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Done' }).click();
    await page.waitForURL(`${appAddress}**`);
    const { searchParams } = new URL(page.url());
    const entries = await collected(ready, user);
    expect(searchParams.getAll('connection_id').sort()).toEqual(
      entries.map((entry) => entry.text('connection_id')).sort(),
    );
    expect(['success', 'health_system_id', 'state', 'error'].map((name) => searchParams.get(name))).toEqual([
      'true',
      String(systemId),
      'of the app',
      null,
    ]);
  });

  it('end with the cookie, also while one types, and in another browser', async () => {
    const page = await newPage();
    const address = await open(page, connected);
    await page.goto(`${address}/search`);
    await page.context().clearCookies();
    await page.getByLabel('Where do you get care?').fill('lake');
    await titleIs(page, 'This page has ended');
    const other = await newPage();
    for (const screen of ['', '/search', '/places', `/systems/${systemId}`, '/done']) {
      expect((await other.goto(address + screen))?.status()).toBe(410);
      expect(await other.title()).toBe('This page has ended');
      expect(await other.content()).not.toContain(appName);
    }
  });

  it('list the places near the patient when the patient allows that, and go on when not', async () => {
    const page = await newPage({ ...phone, geolocation: { latitude: 38.912_345, longitude: -77.012_345 } });
    const address = await open(page, connected);
    const sent: [url: string, near: string | undefined][] = [];
    page.on('request', (request) => {
      if (!request.url().includes('/connect/assets/')) sent.push([request.url(), request.headers()['connect-near']]);
    });
    await page.goto(`${address}/search?query=hospital`);
    await page.context().clearPermissions();
    const begin = page.getByRole('button', { name: 'Places near me' });
    await begin.click();
    await page.getByText('We could not find out where you are.').waitFor();
    expect(await page.getByText(/^About .* miles away$/).count()).toBe(0);
    await page.context().grantPermissions(['geolocation'], { origin: new URL(ready.base_url).origin });
    await begin.click();
    await page.getByText('Nearer places come first.').waitFor();
    const away = page.getByText(/^About [\d,]+ miles away$/);
    await away.first().waitFor();
    const pathOf = (query: string): string => `${address}/search?query=${query}`;
    expect(sent).toEqual([
      [pathOf('hospital'), undefined],
      [pathOf('hospital'), '38.9,-77.0'],
    ]);
    await page.getByRole('link', { name: 'More places' }).click();
    await page.getByRole('link', { name: 'Previous places' }).waitFor();
    await away.first().waitFor();
    await page.getByLabel('Where do you get care?').fill('');
    await page.waitForURL(pathOf(''));
    expect(sent.slice(2)).toEqual([
      [`${pathOf('hospital')}&offset=20`, '38.9,-77.0'],
      [pathOf(''), '38.9,-77.0'],
    ]);
    await page.getByRole('button', { name: 'Stop using my location' }).click();
    await away.first().waitFor({ state: 'detached' });
    expect(sent.slice(4)).toEqual([[pathOf(''), undefined]]);
    const devTools = await page.context().newCDPSession(page);
    const { entries } = await devTools.send('Page.getNavigationHistory');
    expect(entries.filter(({ url }) => url.includes('38.9'))).toEqual([]);
  });

  /** The screens of a page, by what they show. */
  const screens: [string, string][] = [
    ['search', '/search'],
    ['results', '/search?query=hospital'],
    ['nothing found', '/search?query=qqqqqqqq'],
    ['review', `/systems/${systemId}`],
    ['a failure', `/systems/${systemId}?error=access_denied`],
    ['another person', `/systems/${systemId}?error=other_person`],
    ['places', '/places'],
    ['an error', '/systems/987654321'],
  ];

  (process.env['TEST_SMOKE'] === undefined ? describe : describe.skip)('in detail', () => {
    it('are accessible in both themes at 400 % zoom, and scroll in one direction only', async () => {
      // Colours are not measured while they change.
      const page = await newPage({ ...zoomed, reducedMotion: 'reduce' });
      const address = await open(page, connected);
      for (const [name, path] of screens) {
        await page.goto(address + path);
        await page.evaluate(`document.querySelectorAll('details').forEach((details) => (details.open = true))`);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([name, colorScheme, ...(await accessibilityProblems(page))]).toEqual([name, colorScheme]);
        }
        const edges = await page.evaluate<[number, number][]>(
          `[...document.querySelectorAll('main *')].map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0).map(({ left, right }) => [left, right])`,
        );
        expect([name, edges.filter(([left, right]) => left < 24 || right > 320 - 24)]).toEqual([name, []]);
      }
    });

    // npm test has the idea of the pages, npm run test:full all of them.

    it('say that access was denied, and try again', async () => {
      const page = await newPage();
      await open(page, await newUser(ready, client));
      await chooseSandbox(page);
      await signIn(page, parent);
      await decide(page, 'Refuse');
      await titleIs(page, 'Nothing was shared');
      await page.reload();
      await titleIs(page, 'Nothing was shared');
      await signIn(page, parent);
      await decide(page, 'Allow');
      await titleIs(page, 'Your records');
    });

    it('say what is wrong at a health system', async () => {
      const page = await newPage();
      await open(page, await newUser(ready, client));
      await chooseSandbox(page);
      // After the last one, trying again would not help.
      for (const [scenario, title] of [
        ['authorization-unavailable', 'Sandbox Health System does not respond'],
        ['client-unauthorized', 'Sandbox Health System does not know us yet'],
      ] as const) {
        await signIn(page, `${parent}+${scenario}`);
        await decide(page, 'Allow');
        await titleIs(page, title);
      }
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    });

    it('do not connect what is not registered or not known', async () => {
      const page = await newPage();
      const address = await open(page, connected);
      await page.goto(`${address}/search?query=hospital`);
      const body = await http('POST', `${ready.search_url}/api/search`, {
        headers: bearer(connected.access_token),
        json: { query: 'hospital' },
      });
      expect(await page.locator('a.choice').count()).toBe(0);
      const unregistered = new URL(`${address}/systems/${String((body.json.list('entry')[0] as { id: number }).id)}`);
      await page.goto(unregistered.href);
      await page.getByRole('button', { name: /^Continue to/ }).click();
      await page.getByRole('heading', { name: /does not know us yet$/ }).waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      expect((await page.goto(`${address}/systems/987654321`))?.status()).toBe(404);
      await titleIs(page, 'This place was not found');
      await page.getByRole('link', { name: 'Choose another place' }).click();
      await sandboxIn(page).waitFor();
    });

    it('of two tabs do not disturb each other', async () => {
      const context = await newContext();
      const tabs = await Promise.all(
        [parent, child].map(async (username) => {
          const page = await context.newPage();
          await open(page, await newUser(ready, client), { state: username });
          return { username, page };
        }),
      );
      for (const { page } of tabs) await chooseSandbox(page);
      for (const { username, page } of tabs) await signIn(page, username);
      for (const { page } of tabs.toReversed()) await decide(page, 'Allow');
      const people: (string | null)[] = [];
      for (const { username, page } of tabs) {
        people.push(await page.getByText(/^Record of/).textContent());
        await page.getByRole('link', { name: 'Done' }).click();
        await page.waitForURL(`${appAddress}**`);
        expect(new URL(page.url()).searchParams.get('state')).toBe(username);
      }
      expect(new Set(people).size).toBe(2);
    });

    it('stay themselves by the back button and by a reload', async () => {
      const page = await newPage();
      await open(page, await newUser(ready, client));
      const query = page.getByLabel('Where do you get care?');
      await query.fill('sandbox');
      await page.waitForURL('**/search?query=sandbox');
      await page.reload();
      await chooseSandbox(page);
      await page.reload();
      const title = `Share your records with ${appName}?`;
      await titleIs(page, title);
      await page.goBack();
      expect(await query.inputValue()).toBe('sandbox');
      await chooseSandbox(page);
      await page.getByRole('button', { name: /^Continue to/ }).click();
      await page.getByLabel('Username').waitFor();
      await page.goBack();
      await titleIs(page, title);
      await signIn(page, parent);
      await decide(page, 'Allow');
      await titleIs(page, 'Your records');
      await page.reload();
      await titleIs(page, 'Your records');
    });

    it('need the keyboard only, with a focus that is always visible', async () => {
      const page = await newPage();
      await open(page, await newUser(ready, client));
      const tabTo = async (wanted: RegExp): Promise<void> => {
        for (let presses = 0; presses < 10; presses++) {
          await page.keyboard.press('Tab');
          const focus = await page.evaluate<{ text: string; style: string; isInView: boolean }>(`(() => {
            const focused = document.activeElement;
            const { top, bottom } = focused.getBoundingClientRect();
            const text = focused.labels?.[0]?.textContent ?? focused.textContent;
            return { text, style: getComputedStyle(focused).outlineStyle, isInView: top >= 0 && bottom <= innerHeight };
          })()`);
          expect(focus).toMatchObject({ style: 'solid', isInView: true });
          if (wanted.test(focus.text)) return;
        }
        throw new Error(`the focus does not come to ${wanted.source}`);
      };
      await tabTo(/Where do you get care/);
      await page.keyboard.type('sandbx');
      await page.waitForURL('**/search?query=sandbx');
      await tabTo(/^Sandbox Health System/);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/systems/**');
      await tabTo(/^Continue to/);
      await page.keyboard.press('Enter');
      await page.getByLabel('Username').waitFor();
    });

    it('move nothing for those who want less motion', async () => {
      const page = await newPage({ ...phone, reducedMotion: 'reduce' });
      const address = await open(page, connected);
      for (const [name, path] of screens) {
        await page.goto(address + path);
        const moving = await page.evaluate<string[]>(
          `[...document.querySelectorAll('*')].filter((each) => getComputedStyle(each).transitionDuration !== '0s' || each.matches('progress:indeterminate')).map(({ tagName }) => tagName)`,
        );
        expect([name, moving]).toEqual([name, []]);
      }
    });

    it('work without scripts', async () => {
      const page = await newPage({ ...phone, javaScriptEnabled: false });
      await open(page, await newUser(ready, client));
      await page.getByLabel('Where do you get care?').fill('sandbx helth');
      await page.getByRole('button', { name: 'Search' }).click();
      await chooseSandbox(page);
      await signIn(page, parent);
      await decide(page, 'Allow');
      await titleIs(page, 'Your records');
      await waitUntil(async () => {
        if ((await page.getByText('Up to date').count()) > 0) return true;
        await page.getByRole('link', { name: 'Show the latest state' }).click();
        return false;
      }, 'the place is up to date');
      await page.getByText('Disconnect', { exact: true }).click();
      await page.getByText('Disconnect Sandbox Health System?').waitFor();
      await page.getByRole('link', { name: 'Done' }).click();
      await page.waitForURL(`${appAddress}?success=true**`);
    });

    interface Vitals {
      /** How much the layout shifts. */
      shift: number;
      /** When the largest element is painted, in milliseconds. */
      largestPaint: number;
    }

    /** Collects the vitals of screens from now on. @returns reads those of the screen, once something is painted */
    async function vitalsOf(page: Page): Promise<() => Promise<Vitals>> {
      await page.addInitScript(`
        window.vitals = { shift: 0, largestPaint: 0 };
        new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (vitals.shift += value)))
          .observe({ type: 'layout-shift', buffered: true });
        new PerformanceObserver((list) => list.getEntries().forEach(({ startTime }) => (vitals.largestPaint = startTime)))
          .observe({ type: 'largest-contentful-paint', buffered: true });`);
      const whenPainted = async (): Promise<Vitals | false> => {
        const vitals = await page.evaluate<Vitals>('vitals');
        return vitals.largestPaint > 0 && vitals;
      };
      return () => waitUntil(whenPainted, 'something is painted', 20);
    }

    it('can be read before the script has come, and nothing shifts when it does', async () => {
      const readSlowly = async (path: string): Promise<void> => {
        const page = await newPage();
        const address = await open(page, connected);
        const vitals = await vitalsOf(page);
        const devTools = await page.context().newCDPSession(page);
        // Slow 3G, and the processor of an old phone.
        const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
        await devTools.send('Network.enable');
        await devTools.send('Network.emulateNetworkConditions', slow);
        await devTools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
        let letGo = (): void => undefined;
        const isLetGo = new Promise<void>((resolve) => (letGo = resolve));
        await page.route('**/*.js', async (route) => {
          await isLetGo;
          await route.continue();
        });
        await page.goto(address + path, { waitUntil: 'commit' });
        expect([path, (await vitals()).shift]).toEqual([path, 0]);
        expect(await page.locator('h1').isVisible()).toBe(true);
        expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(243, 246, 247)');
        letGo();
        await page.getByRole('button', { name: 'Dark colors' }).waitFor();
        expect([path, (await vitals()).shift]).toEqual([path, 0]);
      };
      await Promise.all(['/search', '/places'].map(readSlowly));
    });

    it('are painted within a second on a fast connection', async () => {
      const page = await newPage();
      const vitals = await vitalsOf(page);
      const address = await open(page, connected);
      for (const [name, path] of screens) {
        await page.goto(address + path);
        const { shift, largestPaint } = await vitals();
        expect([name, shift, Math.max(largestPaint, 1000)]).toEqual([name, 0, 1000]);
      }
    });

    it('have nothing in English for a reader of Spanish', async () => {
      const page = await newPage({ ...phone, locale: 'es-US' });
      const address = await open(page, connected);
      await page.getByRole('button', { name: 'Colores oscuros' }).waitFor();
      /** What a screen says, without names and numbers. */
      const saidIn = async (language: string, path: string): Promise<string[]> => {
        const headers = { Accept: 'text/html', 'Accept-Language': `${language}-US` };
        const html = await (await page.context().request.get(address + path, { headers })).text();
        return page.evaluate<string[]>(`(() => {
          const parsed = new DOMParser().parseFromString(${JSON.stringify(html)}, 'text/html');
          const texts = [parsed.title];
          const walker = parsed.createTreeWalker(parsed.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
          for (let node; (node = walker.nextNode()); ) {
            const { data, parentElement, attributes } = node;
            if (data !== undefined && !parentElement.closest('script, bdi, code')) texts.push(data);
            for (const name of ['aria-label', 'placeholder', 'title', 'alt']) texts.push(attributes?.[name]?.value ?? '');
          }
          return [parsed.documentElement.lang, ...texts.map((text) => text.trim())].filter((text) => /\\p{L}{2}/u.test(text));
        })()`);
      };
      const failures = ['no_patient', 'invalid_scope', 'not_registered', 'system_unavailable', 'expired'];
      const others = [...failures, 'server_error', 'user_inactive'].map(
        (error) => `/systems/${systemId}?error=${error}`,
      );
      for (const path of [...screens.map(([, each]) => each), ...others]) {
        const [english, spanish] = [await saidIn('en', path), await saidIn('es', path)];
        expect([path, spanish.length]).toEqual([path, english.length]);
        expect([path, spanish.filter((text) => english.includes(text))]).toEqual([path, []]);
      }
    });

    it('tell the token and their address to nobody', async () => {
      const user = await newUser(ready, client);
      const page = await newPage();
      const origins = new Set<string>();
      const referrers: (string | undefined)[] = [];
      const documents: Promise<string>[] = [];
      const own = new URL(ready.base_url).origin;
      page.on('request', (request) => {
        const { protocol, origin } = new URL(request.url());
        if (!protocol.startsWith('http')) return;
        origins.add(origin);
        if (origin !== own) referrers.push(request.headers()['referer']);
      });
      page.on('response', (response) => {
        if (response.status() === 200 && response.url().startsWith(`${ready.base_url}/connect/pages`))
          documents.push(response.text().catch(() => ''));
      });
      await page.goto(appAddress);
      await page.evaluate(`location.href = ${JSON.stringify(addressFor(user))}`);
      await titleIs(page, `${appName} wants to read your health records`);
      origins.clear();
      await chooseSandbox(page);
      await page.reload();
      expect([...origins]).toEqual([own]);
      await signIn(page, parent);
      await decide(page, 'Allow');
      await titleIs(page, 'Your records');
      await page.getByRole('link', { name: 'Done' }).click();
      await page.waitForURL(`${appAddress}**`);
      expect(new Set(referrers)).toEqual(new Set([undefined]));
      const devTools = await page.context().newCDPSession(page);
      const { entries } = await devTools.send('Page.getNavigationHistory');
      const said = [...entries.map(({ url }) => url), ...(await Promise.all(documents))];
      expect(said.length).toBeGreaterThan(8);
      expect(said.filter((text) => text.includes(user.access_token))).toEqual([]);
    });

    it('disconnect a place after a question, and connect it again', async () => {
      const user = await newUser(ready, client);
      await connect(ready, user, parent);
      const page = await newPage();
      await open(page, user);
      await titleIs(page, 'Your records');
      await page.getByText('Disconnect', { exact: true }).click();
      await page.getByText('To connect again you have to sign in there.').waitFor();
      await page.getByRole('button', { name: 'Disconnect Sandbox Health System' }).click();
      await page.getByText('Disconnected').waitFor();
      await page.getByRole('link', { name: 'Connect again' }).click();
      await signIn(page, parent);
      await decide(page, 'Allow');
      await titleIs(page, 'Your records');
      expect(await page.locator('article').count()).toBe(1);
      expect(await page.getByText('Disconnected').count()).toBe(0);
    });

    it('ask before they add the record of another person', async () => {
      const user = await newUser(ready, client);
      await connect(ready, user, parent);
      const page = await newPage();
      await open(page, user);
      await page.getByRole('link', { name: 'Add another place' }).click();
      await chooseSandbox(page);
      await signIn(page, child);
      await decide(page, 'Allow');
      await titleIs(page, 'Is this another person?');
      await signIn(page, child);
      await decide(page, 'Allow');
      await page.getByText('This is a different person from the one in your other records.').waitFor();
      expect(await page.locator('article').count()).toBe(2);
    });
  });
});
