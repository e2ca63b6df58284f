import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessibilityProblems } from './browser';
import { checkAnswersOf } from './check-answers';
import type { DeveloperSession } from './developers';
import type { Ready } from './ready';

const desk = { viewport: { width: 1280, height: 800 }, locale: 'en-US', reducedMotion: 'reduce' } as const;
/** A page of 1280 px at 400 % zoom. */
const zoomed = { width: 320, height: 256 };

const routes = readFileSync(
  join(__dirname, '../../../../services/console/web/developer-console/src/routes.tsx'),
  'utf8',
);
const pathsIn = (text: string): string[] => [...text.matchAll(/path="([^"]+)"/g)].map(([, path = '']) => path);
/** The addresses below an organisation, from the routes of the web application. */
export const organisationAddresses = pathsIn(
  /path="organisations\/:organisation">(.*?)<\/Route>/s.exec(routes)?.[1] ?? '',
);
/** The addresses of the pages for operators. */
export const operatorAddresses = pathsIn(routes).filter((path) => path.startsWith('operator/'));

/** A tab of the developer console, whose pages are used by the words on them. */
export class ConsoleTab {
  /** Errors of the scripts of its pages, and what their Content-Security-Policy has refused. */
  readonly problems: string[] = [];

  private constructor(
    private readonly ready: Ready,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  /** Opens a tab in a window of its own. @param session absent: nobody is signed in */
  static async open(browser: Browser, ready: Ready, session?: DeveloperSession): Promise<ConsoleTab> {
    const context = await browser.newContext(desk);
    if (session) await context.addCookies([{ ...session.cookie, url: ready.base_url }]);
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const tab = new ConsoleTab(ready, context, page);
    page.on('pageerror', (error) => tab.problems.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) tab.problems.push(message.text());
    });
    checkAnswersOf(page);
    return tab;
  }

  at(path: string): string {
    return `${this.ready.base_url}/console/${path}`;
  }

  /** Opens a page, and waits until it has all its answers. */
  async goTo(path: string): Promise<void> {
    await this.page.goto(this.at(path));
    await this.page.locator('h1').first().waitFor();
    await this.page.waitForLoadState('networkidle');
  }

  heading(name: string | RegExp): Promise<void> {
    return this.page.getByRole('heading', { name }).first().waitFor();
  }

  text(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor();
  }

  button(name: string | RegExp): Promise<void> {
    return this.page.getByRole('button', { name }).first().click();
  }

  link(name: string | RegExp): Promise<void> {
    return this.page.getByRole('link', { name }).first().click();
  }

  fill(label: string, text: string): Promise<void> {
    return this.page.getByLabel(label, { exact: true }).first().fill(text);
  }

  /** What the pages violate of WCAG in both themes, at a desk and at 400 % zoom, and which scroll sideways. */
  async accessibilityProblems(paths: readonly string[]): Promise<string[]> {
    const problems: string[] = [];
    for (const viewport of [desk.viewport, zoomed]) {
      await this.page.setViewportSize(viewport);
      for (const path of paths) {
        await this.goTo(path);
        for (const colorScheme of ['light', 'dark'] as const) {
          await this.page.emulateMedia({ colorScheme });
          for (const problem of await accessibilityProblems(this.page))
            problems.push(`${path} ${viewport.width} ${colorScheme}: ${problem}`);
        }
      }
    }
    await this.page.setViewportSize(desk.viewport);
    return problems;
  }
}
