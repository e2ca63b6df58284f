import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { hasBrowser, launchBrowser } from '../suite/browser';
import { ConsoleTab, organisationAddresses } from '../suite/console-tab';
import { DeveloperSession, developerPassword, totpCode } from '../suite/developers';
import { readySuite } from '../suite/ready';
import { newUser } from '../suite/users';

const ready = readySuite();
const organisationName = 'Cherry Basin Research';
const clientName = 'Sleep study';

(hasBrowser ? describe : describe.skip)('access to the developer console', () => {
  let browser: Browser;
  let owner: DeveloperSession;
  let organisation: string;
  let clientId: string;
  let userId: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    owner = await DeveloperSession.signUp(ready);
    organisation = (await owner.call('POST', 'organisations', { name: organisationName })).json.text('id');
    const { json } = await owner.call('POST', `organisations/${organisation}/clients`, {
      mode: 'test',
      name: clientName,
      redirect_uris: [ready.client.redirect_uri],
    });
    clientId = json.text('client_id');
    const client = { client_id: clientId, client_secret: json.text('client_secret') };
    userId = String((await newUser(ready, client)).service_user_id);
    const endpoint = { url: `${new URL(ready.client.redirect_uri).origin}/demo/webhook` };
    await owner.call('POST', `clients/${clientId}/base/connect/v1/webhooks`, endpoint);
  });
  afterAll(() => browser.close());

  const own = (address: string): string => `organisations/${organisation}/${address.replace(':client', clientId)}`;

  it('knows every address below an organisation', () => {
    expect(organisationAddresses).toEqual(expect.arrayContaining(['members', 'clients', 'clients/:client/users']));
  });

  it('shows nothing of another organisation at any address', async () => {
    const stranger = await DeveloperSession.signUp(ready);
    const theirs = (await stranger.call('POST', 'organisations', { name: 'Strangers' })).json.text('id');
    const tab = await ConsoleTab.open(browser, ready, stranger);
    const { context, page } = tab;
    const foreign = [
      ...organisationAddresses.map(own),
      // The client of others as if it were of the own organisation.
      ...organisationAddresses
        .filter((address) => address.includes(':client'))
        .map((address) => `organisations/${theirs}/${address.replace(':client', clientId)}`),
      `organisations/${organisation}/clients/${clientId}/users?user=${userId}`,
    ];
    for (const path of foreign) {
      await tab.goTo(path);
      expect([path, await page.locator('h1').first().innerText()]).toEqual([path, 'There is no such page']);
      const text = await page.locator('body').innerText();
      expect([path, [organisationName, clientName].filter((name) => text.includes(name))]).toEqual([path, []]);
    }
    await context.close();
  });

  it('lets a read-only member change nothing, at any button', async () => {
    const member = await DeveloperSession.signUp(ready);
    await owner.invite(organisation, member, 'read_only');
    const tab = await ConsoleTab.open(browser, ready, member);
    const { context, page } = tab;
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/') && request.method() !== 'GET')
        sent.push(`${request.method()} ${request.url()}`);
    });
    let pressed = 0;
    const opened = [...organisationAddresses.map(own), `${own('clients/:client/users')}?user=${userId}`];
    for (const path of opened) {
      await tab.goTo(path);
      const isPanel = path.includes('?');
      const buttons = (isPanel ? page.getByRole('dialog') : page.locator('main')).getByRole('button');
      const count = await buttons.count();
      for (let index = 0; index < count; index++) {
        await tab.goTo(path);
        const button = buttons.nth(index);
        const name = await button.innerText().catch(() => '');
        // Members may leave, whatever their role.
        if (name.startsWith('Leave') || !(await button.isEnabled())) continue;
        await button.click();
        pressed++;
        // A dialog that asks would send something with its own button.
        const dialog = page.locator('[role=dialog], [role=alertdialog]').last();
        if (!isPanel && (await dialog.isVisible())) {
          for (const field of await dialog.getByRole('textbox').all()) await field.fill('x').catch(() => undefined);
          const last = dialog.getByRole('button').last();
          if (await last.isEnabled()) await last.click().catch(() => undefined);
        }
      }
    }
    await page.waitForLoadState('networkidle');
    expect(sent).toEqual([]);
    expect(pressed).toBeGreaterThan(5);
    await context.close();
  });

  it('takes no request that a page of another site has made', async () => {
    const forging = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<p>'));
    await once(forging.listen(0, '127.0.0.1'), 'listening');
    const { port } = forging.address() as AddressInfo;
    const tab = await ConsoleTab.open(browser, ready, owner);
    const { context, page } = tab;
    try {
      // Another site, since a cookie that is SameSite goes to every port of one host.
      await page.goto(`http://127.0.0.1:${port}/`);
      const name = 'Forged';
      const url = tab.at(`api/v1/organisations/${organisation}`);
      await page.evaluate(
        async ([target = '', body = '']) => {
          for (const type of ['application/json', 'text/plain'])
            await fetch(target, {
              method: 'PATCH',
              credentials: 'include',
              body,
              headers: { 'Content-Type': type },
            }).catch(() => undefined);
        },
        [url, JSON.stringify({ name })],
      );
      await page.setContent(
        `<form method="post" enctype="text/plain" action="${tab.at('api/v1/sign-out')}"><input type="submit"></form>`,
      );
      const posted = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.locator('input').click();
      expect((await posted).status()).toBe(403);
      await page.waitForLoadState();
      await tab.goTo(own('settings'));
      expect(await page.locator('body').innerText()).toContain(organisationName);
    } finally {
      forging.close();
      await context.close();
    }
  });

  it('needs no mouse', async () => {
    const tab = await ConsoleTab.open(browser, ready);
    const { context, page } = tab;
    const { keyboard } = page;
    const focused = async (): Promise<string> => {
      const name = `((element) => element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText)`;
      return (await page.evaluate<string>(`${name}(document.activeElement)`)).trim();
    };
    const tabTo = async (name: string | RegExp): Promise<void> => {
      const passed: string[] = [];
      for (let steps = 0; steps < 60; steps++) {
        await keyboard.press('Tab');
        const here = await focused();
        if (typeof name === 'string' ? here === name : name.test(here)) return;
        passed.push(here);
      }
      throw new Error(`Tab does not lead to ${String(name)}: ${passed.join(' | ')}`);
    };

    await page.goto(tab.at(own('clients/:client/users')));
    await tab.heading('Sign in');
    await tabTo('E-mail address');
    await keyboard.type(owner.email);
    await tabTo('Password');
    await keyboard.type(developerPassword);
    await keyboard.press('Enter');
    await tab.heading('Second factor');
    await tabTo('Six-digit code');
    await keyboard.type(totpCode(owner.totpSecret, 1));
    await keyboard.press('Enter');

    await page
      .getByRole('button', { name: /^user-|@|-/ })
      .first()
      .waitFor();
    await tabTo(/^Menu|^Skip|Find a user/);
    const row = await page.locator('.row-open').first().innerText();
    await tabTo(row);
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo('Deactivate…');
    await keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await tabTo('Deactivate');
    await keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Deactivated').waitFor();
    // The question closes after the user is shown as deactivated, and would take the key.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe(row);

    await page.goto(tab.at(own('clients')));
    await tab.heading('Applications');
    await tabTo('New application');
    await keyboard.press('Enter');
    await tab.heading('New application');
    await tabTo('Name');
    await keyboard.type('By keyboard');
    await tabTo(/^Redirect URIs/);
    await keyboard.type(ready.client.redirect_uri);
    await tabTo('Create application');
    await keyboard.press('Enter');
    await tab.heading('By keyboard is created');
    await tabTo('I have kept the secret');
    await keyboard.press('Enter');
    await tabTo(/^Application: By keyboard/);
    await keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await keyboard.press('Escape');
    await context.close();
  });
});
