import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { hasBrowser, launchBrowser } from '../suite/browser';
import { type Example, startExample } from '../suite/example';
import { readySuite } from '../suite/ready';

const ready = readySuite();
const packageFolder = join(__dirname, '..', '..', '..', '..', 'packages', 'connect');
const { username } = ready.sandbox.patients[0]!;

interface Shown {
  type: string;
  [field: string]: unknown;
}

(hasBrowser && !process.env['JOURNEY_ADMIN'] ? describe : describe.skip)('the example of @tributary/connect', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let example: Example;
  let origin: string;

  beforeAll(async () => {
    const program = join(packageFolder, 'example', 'server.mjs');
    example = await startExample(ready, program, 'Better Sleep', (own) => ['--frame-origin', own]);
    ({ origin } = example);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    example?.process.kill();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
    await page.goto(origin);
  });
  afterEach(() => context.close());

  const press = (display: string): Promise<void> => page.click(`[data-display=${display}]`);
  const events = async (): Promise<Shown[]> => {
    const texts = await page.locator('#events li').allTextContents();
    return texts.map((text) => JSON.parse(text) as Shown);
  };
  /** The events once the pages are closed, without those of progress; the last of these. */
  const toldUntilClosed = async (): Promise<{ told: Shown[]; progress: Shown | undefined }> => {
    await page.getByText('"closed"').waitFor();
    const all = await events();
    return {
      told: all.filter(({ type }) => type !== 'progress'),
      progress: all.findLast(({ type }) => type === 'progress'),
    };
  };
  const choose = async (shown: Page | FrameLocator): Promise<void> => {
    await shown.locator('a.choice').first().click();
    await shown.getByRole('button', { name: 'Continue to' }).click();
  };
  const signIn = async (shown: Page, answer = 'Allow'): Promise<void> => {
    await shown.getByLabel('Username').fill(username);
    await shown.getByLabel('Password').fill('sandbox');
    await shown.getByRole('button', { name: 'Sign in' }).click();
    await shown.getByRole('button', { name: answer }).click();
  };
  const expectedEvents = [
    { type: 'opened' },
    {
      type: 'connected',
      connectionIds: expect.arrayContaining([expect.stringMatching(/^[\w-]{36}$/)]),
      healthSystemIds: [ready.sandbox.health_system_id],
    },
    { type: 'closed' },
  ];

  it('connects in a pop-up, which tells its opener of progress and closes itself', async () => {
    const [popup] = await Promise.all([page.waitForEvent('popup'), press('popup')]);
    await choose(popup);
    await signIn(popup);
    await popup.getByText('Up to date').waitFor();
    await popup.getByRole('link', { name: 'Done' }).click();
    const { told, progress } = await toldUntilClosed();
    expect(told).toEqual(expectedEvents);
    expect(progress?.['collected']).toBeGreaterThan(0);
    expect(progress?.['typesDone']).toBe(progress?.['typesTotal']);
    expect(popup.isClosed()).toBe(true);
  });

  it('connects in a frame, with the sign-in in a window that closes itself', async () => {
    await page.context().grantPermissions(['geolocation']);
    await page.context().setGeolocation({ latitude: 38.9, longitude: -77 });
    await press('frame');
    const frame = page.frameLocator('iframe');
    await frame.getByRole('button', { name: 'Places near me' }).click();
    await frame.getByText('Nearer places come first.').waitFor();
    await frame.getByRole('button', { name: 'Stop using my location' }).click();
    const [window] = await Promise.all([page.waitForEvent('popup'), choose(frame)]);
    await signIn(window);
    await frame.getByText('Up to date').waitFor();
    expect(window.isClosed()).toBe(true);
    await frame.getByRole('link', { name: 'Done' }).click();
    expect((await toldUntilClosed()).told).toEqual(expectedEvents);
    expect([await page.locator('iframe').count(), page.url()]).toEqual([0, `${origin}/`]);
  });

  it('connects by a redirect, and comes back with what was connected', async () => {
    await press('redirect');
    await choose(page);
    await signIn(page);
    await page.getByRole('link', { name: 'Done' }).click();
    await page.waitForURL(`${origin}/connected?**`);
    expect(await page.locator('#result').textContent()).toMatch(/^\d connections$/);
  });

  it('tells of a denied consent, and of a window that the user closes', async () => {
    const [popup] = await Promise.all([page.waitForEvent('popup'), press('popup')]);
    await choose(popup);
    await signIn(popup, 'Refuse');
    await popup.getByText('Nothing was shared').first().waitFor();
    await page.getByText('"access_denied"').waitFor();
    await popup.close();
    expect((await toldUntilClosed()).told).toEqual([
      { type: 'opened' },
      { type: 'failed', error: 'access_denied' },
      { type: 'closed' },
    ]);
  });

  it('tells that the browser has blocked the pop-up', async () => {
    await page.evaluate('window.open = () => null');
    await press('popup');
    await page.getByText('"popup_blocked"').waitFor();
    expect(await events()).toEqual([{ type: 'failed', error: 'popup_blocked' }]);
  });

  it('is not shown in a frame by a page of another origin', async () => {
    const address = await page.evaluate<string>(
      'fetch("/address", { method: "POST" }).then((answer) => answer.text())',
    );
    // Of the same site: the browser sends the cookie of the page.
    const elsewhere = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end());
    await once(elsewhere.listen(0, 'localhost'), 'listening');
    await page.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}`);
    const refusal = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(address)} }))`,
    );
    await refusal;
    expect(await page.frameLocator('iframe').getByRole('heading').count()).toBe(0);
    elsewhere.close();
    elsewhere.closeAllConnections();
  });

  it('says in a frame that it has ended, where nobody knows any more whose page it was', async () => {
    await page.goto(origin.replace('localhost', '127.0.0.1'));
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${ready.base_url}/connect/pages/${'a'.repeat(22)}/search' }))`,
    );
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'This page has ended' }).waitFor();
    expect(await frame.getByRole('link').count()).toBe(0);
  });

  it('has a hook for React', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import { createElement } from 'react';
          import { createRoot } from 'react-dom/client';
          import { useConnect } from '@tributary/connect/react';
          function App() {
            const { open, isOpen, events } = useConnect({
              url: () => fetch('/address', { method: 'POST' }).then((answer) => answer.text()),
            });
            const told = Object.keys(events).sort().join();
            return createElement('button', { id: 'react', onClick: open }, isOpen + ' ' + told);
          }
          createRoot(document.body.appendChild(document.createElement('div'))).render(createElement(App));`,
        resolveDir: packageFolder,
      },
      bundle: true,
      write: false,
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    await page.addScriptTag({ content: outputFiles[0]!.text });
    const button = page.locator('#react');
    expect(await button.textContent()).toBe('false ');
    const [popup] = await Promise.all([page.waitForEvent('popup'), button.click()]);
    await page.getByText('true opened').waitFor();
    await popup.getByRole('link', { name: 'Not now' }).click();
    await page.getByText('false closed,opened').waitFor();
  });
});
