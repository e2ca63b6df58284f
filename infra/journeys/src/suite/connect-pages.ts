import { waitUntil } from '@tributary/test-environment';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { launchBrowser } from './browser';
import { bearer, http } from './http';
import type { Ready } from './ready';
import { type ClientCredentials, type User, collected, connect, newClient, newUser } from './users';

/** The name of the application that asks. */
export const appName = 'Journeys & <Friends>';
/** People of the sandbox, generated with a short record. */
export const [parent, child] = ['brief-11', 'brief-12'] as const;
export const phone = { viewport: { width: 390, height: 844 }, locale: 'en-US' };

/** The hosted connect pages in a browser, with an application of their own. Its contexts are closed after each test. */
export class ConnectPages {
  client!: ClientCredentials;
  /** Has connected the record of the parent. */
  connected!: User;
  #browser!: Browser;
  readonly #contexts: BrowserContext[] = [];

  constructor(private readonly ready: Ready) {}

  get systemId(): number {
    return this.ready.sandbox.health_system_id;
  }

  async start(): Promise<void> {
    const { ready } = this;
    this.client = await newClient(ready, appName);
    [this.#browser, this.connected] = await Promise.all([launchBrowser(), newUser(ready, this.client)]);
    const body = { query: '', connectable: true };
    const search = (): ReturnType<typeof http> =>
      http('POST', `${ready.search_url}/api/search`, { headers: bearer(this.connected.access_token), json: body });
    // The registrations are copied every five seconds.
    const isFound = async (): Promise<boolean> => (await search()).json.list('entry').length > 0;
    await Promise.all([
      waitUntil(isFound, 'the sandbox is connectable', 200),
      connect(ready, this.connected, parent).then(() => collected(ready, this.connected)),
    ]);
  }

  // `start` may have failed before.
  stop = (): Promise<void> | undefined => (this.#browser as Browser | undefined)?.close();

  closeContexts = (): Promise<void[]> => Promise.all(this.#contexts.splice(0).map((context) => context.close()));

  newContext = async (settings: BrowserContextOptions = phone): Promise<BrowserContext> => {
    const context = await this.#browser.newContext(settings);
    this.#contexts.push(context);
    return context;
  };

  newPage = async (settings?: BrowserContextOptions): Promise<Page> => (await this.newContext(settings)).newPage();

  addressFor = (user: User, more: Record<string, string> = {}): string =>
    `${this.ready.base_url}/connect?${new URLSearchParams({ client_id: user.client_id, access_token: user.access_token, ...more }).toString()}`;

  /** Opens a page. @returns its address, under which its screens are */
  open = async (page: Page, user: User, more?: Record<string, string>): Promise<string> => {
    await page.goto(this.addressFor(user, more));
    return page.url().split('/').slice(0, 6).join('/');
  };

  sandboxIn = (page: Page): Locator => page.locator(`a[href$="/systems/${this.systemId}"]`);

  titleIs = (page: Page, title: string): Promise<void> => page.getByRole('heading', { name: title }).waitFor();

  chooseSandbox = async (page: Page): Promise<void> => {
    await this.sandboxIn(page).click();
    await page.waitForURL('**/systems/**');
  };

  signIn = async (page: Page, username: string): Promise<void> => {
    await page.getByRole('button', { name: /^(Continue to|Try again|Yes, add)/ }).click();
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(this.ready.sandbox.patients[0]!.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  decide = (page: Page, decision: 'Allow' | 'Refuse'): Promise<void> =>
    page.getByRole('button', { name: decision }).click();
}

/** Call it in a `describe`: the pages are there for its tests. */
export function connectPages(ready: Ready): ConnectPages {
  const pages = new ConnectPages(ready);
  beforeAll(() => pages.start());
  afterAll(pages.stop);
  afterEach(pages.closeContexts);
  return pages;
}
