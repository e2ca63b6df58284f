import { waitUntil } from '@tributary/test-environment';
import type { Page } from 'playwright-core';
import { accessibilityProblems, hasBrowser } from '../suite/browser';
import { connectPages, parent, phone } from '../suite/connect-pages';
import { readySuite } from '../suite/ready';
import { newUser } from '../suite/users';

const ready = readySuite();
/** A page of 1280 px at 400 % zoom. */
const zoomed = { viewport: { width: 320, height: 256 }, locale: 'en-US' };

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

(hasBrowser ? describe : describe.skip)('the hosted connect pages, for everybody', () => {
  const pages = connectPages(ready);
  const { systemId } = pages;
  const { newPage, open, titleIs, chooseSandbox, signIn, decide } = pages;

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

  it('are accessible in both themes at 400 % zoom, and scroll in one direction only', async () => {
    // Colours are not measured while they change.
    const page = await newPage({ ...zoomed, reducedMotion: 'reduce' });
    const address = await open(page, pages.connected);
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

  it('need the keyboard only, with a focus that is always visible', async () => {
    const page = await newPage();
    await open(page, await newUser(ready, pages.client));
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
    const address = await open(page, pages.connected);
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
    await open(page, await newUser(ready, pages.client));
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
    await page.waitForURL(`${ready.client.redirect_uri}?success=true**`);
  });

  it('can be read before the script has come, and nothing shifts when it does', async () => {
    const readSlowly = async (path: string): Promise<void> => {
      const page = await newPage();
      const address = await open(page, pages.connected);
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
    const address = await open(page, pages.connected);
    for (const [name, path] of screens) {
      await page.goto(address + path);
      const { shift, largestPaint } = await vitals();
      expect([name, shift, Math.max(largestPaint, 1000)]).toEqual([name, 0, 1000]);
    }
  });

  it('have nothing in English for a reader of Spanish', async () => {
    const page = await newPage({ ...phone, locale: 'es-US' });
    const address = await open(page, pages.connected);
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
    const others = [...failures, 'server_error', 'user_inactive'].map((error) => `/systems/${systemId}?error=${error}`);
    for (const path of [...screens.map(([, each]) => each), ...others]) {
      const [english, spanish] = [await saidIn('en', path), await saidIn('es', path)];
      expect([path, spanish.length]).toEqual([path, english.length]);
      expect([path, spanish.filter((text) => english.includes(text))]).toEqual([path, []]);
    }
  });
});
