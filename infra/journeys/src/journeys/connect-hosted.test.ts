import { hasBrowser } from '../suite/browser';
import { appName, child, connectPages, parent, phone } from '../suite/connect-pages';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { collected, connect, newUser } from '../suite/users';

const ready = readySuite();
/** Where the pages lead back to. */
const appAddress = ready.client.redirect_uri;

(hasBrowser ? describe : describe.skip)('the hosted connect pages in a browser', () => {
  const pages = connectPages(ready);
  const { systemId } = pages;
  const { newContext, newPage, addressFor, open, sandboxIn, titleIs, chooseSandbox, signIn, decide } = pages;

  it('lead a patient with a phone from a mistyped name to the app', async () => {
    const user = await newUser(ready, pages.client);
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
    const address = await open(page, pages.connected);
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

  // npm test has the idea of the pages, npm run test:full all of them.
  (process.env['TEST_SMOKE'] === undefined ? describe : describe.skip)('in detail', () => {
    it('list the places near the patient when the patient allows that, and go on when not', async () => {
      const page = await newPage({ ...phone, geolocation: { latitude: 38.912_345, longitude: -77.012_345 } });
      const address = await open(page, pages.connected);
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

    it('say that access was denied, and try again', async () => {
      const page = await newPage();
      await open(page, await newUser(ready, pages.client));
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
      await open(page, await newUser(ready, pages.client));
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
      const address = await open(page, pages.connected);
      await page.goto(`${address}/search?query=hospital`);
      const body = await http('POST', `${ready.search_url}/api/search`, {
        headers: bearer(pages.connected.access_token),
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
          await open(page, await newUser(ready, pages.client), { state: username });
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
      await open(page, await newUser(ready, pages.client));
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

    it('tell the token and their address to nobody', async () => {
      const user = await newUser(ready, pages.client);
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
      const user = await newUser(ready, pages.client);
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
      const user = await newUser(ready, pages.client);
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
