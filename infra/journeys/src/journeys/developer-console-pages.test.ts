import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { waitUntil } from '@tributary/test-environment';
import type { Browser, Page } from 'playwright-core';
import { hasBrowser, launchBrowser } from '../suite/browser';
import { ConsoleTab } from '../suite/console-tab';
import { developerPassword, mailedLink, newDeveloperAddress, totpCode } from '../suite/developers';
import { http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type ClientCredentials, collected, connect, newUser } from '../suite/users';

const ready = readySuite();

(hasBrowser ? describe : describe.skip)('the pages of the developer console', () => {
  const email = newDeveloperAddress();
  let browser: Browser;
  let tab: ConsoleTab;
  let page: Page;
  let totpSecret: string;
  let client: ClientCredentials;

  const typeNewCode = async (): Promise<void> => {
    // No code works twice: that of the next half minute is accepted, too.
    await tab.fill('Six-digit code', totpCode(totpSecret, 1));
  };

  beforeAll(async () => {
    browser = await launchBrowser();
    tab = await ConsoleTab.open(browser, ready);
    ({ page } = tab);
  });
  afterAll(async () => {
    await browser.close();
    expect(tab.problems).toEqual([]);
  });

  it('lead from signing up to a second factor and an organisation', async () => {
    await page.goto(tab.at(''));
    await tab.heading('Sign in');
    await tab.link('Create an account');
    await tab.fill('Name', 'Ada Hart');
    await tab.fill('E-mail address', email);
    await tab.fill('Password', 'short');
    await tab.button('Create account');
    await page.getByText('Use at least 12 characters').first().waitFor();
    await tab.fill('Password', developerPassword);
    await tab.button('Create account');
    await tab.heading('Check your mail');

    const address = await mailedLink(ready, email, 'verify-email');
    await page.goto(address);
    await tab.heading('Verify your address');
    expect(page.url()).not.toContain('token');
    await tab.fill('Password', 'not the password 81');
    await tab.button('Verify the address');
    await page.getByText(/password is not that of the account/).waitFor();
    await tab.fill('Password', developerPassword);
    await tab.button('Verify the address');

    await tab.heading('Set up a second factor');
    await tab.button('Use an authenticator app');
    totpSecret = await page.locator('.copyable code').innerText();
    await tab.fill('Six-digit code', totpCode(totpSecret));
    await tab.button('Add');
    await tab.heading('Recovery codes');
    expect(await page.locator('.codes li').count()).toBe(10);
    await tab.button('I have kept them');
    await tab.heading('Create your organisation');
    await tab.fill('Name', 'Better Sleep');
    await tab.button('Create organisation');
    await tab.heading('Applications');
  });

  it('create an application whose shown command works as it is, and whose users they show', async () => {
    await tab.link('New application');
    await tab.fill('Name', 'Better Sleep');
    await tab.fill('Redirect URIs', 'http://app.example/');
    await tab.button('Create application');
    await page.getByText(/must be https/i).waitFor();
    await tab.fill('Redirect URIs', ready.client.redirect_uri);
    await tab.button('Create application');
    await tab.heading('Better Sleep is created');
    const [id = '', secret = ''] = await page.locator('.copyable code').allInnerTexts();
    const command = await page.locator('pre code').innerText();
    const { stdout } = await promisify(execFile)('sh', ['-c', command], {
      env: { ...process.env, CLIENT_SECRET: secret },
    });
    expect(JSON.parse(stdout)).toMatchObject({ success: true, app_user_id: 'first-user' });
    await tab.button(/I have kept|Copy/).catch(() => undefined);
    await tab.link('I have kept the secret');
    await page.getByText('first-user').first().waitFor();

    client = { client_id: id, client_secret: secret };
    const user = await newUser(ready, client);
    await connect(ready, user, 'brief-13');
    await collected(ready, user);
    await page.reload();
    await tab.fill('Find a user by app_user_id', user.app_user_id);
    await page.keyboard.press('Enter');
    await page.getByText(user.app_user_id, { exact: true }).first().click();
    const panel = page.getByRole('dialog');
    await panel.getByText('Active').first().waitFor();
    await panel
      .getByText(/\d resources/)
      .first()
      .waitFor();
    await panel.getByRole('button', { name: 'Deactivate…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click();
    await panel.getByText('Deactivated').waitFor();
  });

  it('create a user who connects by a link, count the record, collect it again and disconnect', async () => {
    await page.getByRole('button', { name: 'Close' }).click();
    await tab.link('New user');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'app_user_id' }).fill('of the console');
    await tab.button('Create user');
    await tab.heading('of the console');
    const command = await dialog.locator('pre code').innerText();
    const { stdout } = await promisify(execFile)('sh', ['-c', command], {
      env: { ...process.env, CLIENT_SECRET: client.client_secret },
    });
    const { access_token, refresh_token } = JSON.parse(stdout) as Record<'access_token' | 'refresh_token', string>;
    await tab.button('Connect link…');
    const shown = page.getByRole('dialog', { name: 'A link to connect' });
    const opened = await http('GET', await shown.locator('.copyable code').innerText());
    expect([opened.status, opened.headers.get('location')]).toEqual([302, expect.stringContaining('/connect?link=')]);
    await shown.getByRole('button', { name: 'Done' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();

    const panel = page.getByRole('dialog', { name: 'of the console' });
    await panel.getByText('The user has not connected a health system yet.').waitFor();
    const service_user_id = Number(new URL(page.url()).searchParams.get('user'));
    const user = { ...client, app_user_id: 'of the console', service_user_id, access_token, refresh_token };
    await connect(ready, user, 'brief-15');
    await collected(ready, user);
    await page.reload();
    await panel.getByText('Resources by type and year of care').click();
    await panel.getByText(/FHIR R4: [\d,]+ resource/).waitFor();
    await panel.getByRole('button', { name: 'Collect now' }).first().click();
    await page.getByText('The record is collected again.').waitFor();
    await panel.getByRole('button', { name: 'Reconnect link…' }).first().click();
    await tab.button('Done');
    await panel.getByRole('button', { name: 'Disconnect…' }).first().click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click();
    await panel.getByText('Disconnected').waitFor();
    await panel.getByRole('button', { name: 'New code…' }).click();
    await tab.button('Done');
    await page.keyboard.press('Escape');
  });

  it('export the records of all users, and download a file', async () => {
    await tab.link('Exports');
    await tab.link('New export');
    await tab.fill('Resource types', 'Nothing');
    await tab.button('Start export');
    await page.getByText('Must be resource types of FHIR DSTU2, STU3 or R4.').waitFor();
    await tab.fill('Resource types', 'Patient');
    await tab.button('Start export');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download Patient.r4.ndjson' }).click(),
    ]);
    expect(await readFile(await file.path(), 'utf8')).toContain('"resourceType":"Patient"');
    await tab.button('Delete…');
    await tab.button('Delete export');
    await page.getByText('There is no export').waitFor();
  });

  it('add a webhook endpoint, send it a test event, and send that again', async () => {
    const received: unknown[] = [];
    const receiver = createServer((request, response) => {
      received.push(request.headers['webhook-id']);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    try {
      await tab.link('Webhooks');
      await tab.link('Add an endpoint');
      const { port } = receiver.address() as AddressInfo;
      await tab.fill('Address', `http://localhost:${port}/webhooks`);
      await tab.button('Add endpoint');
      await tab.heading('The signing secret');
      await tab.button('I have kept it');
      await page.getByText(`http://localhost:${port}/webhooks`).first().click();
      await tab.button('Send a test event');
      await waitUntil(() => received.length === 1, 'the test event has arrived', 100);

      const user = await newUser(ready, client);
      await connect(ready, user, 'brief-14');
      await collected(ready, user);
      await waitUntil(() => received.length > 1, 'an event has arrived', 100);
      await page.reload();
      const delivery = page.locator('.deliveries > li').last();
      await delivery.locator('summary').click();
      const id = await delivery.locator('.copyable code').innerText();
      await delivery.getByRole('button', { name: 'Send again' }).click();
      const times = (): number => received.filter((each) => each === id).length;
      await waitUntil(() => times() === 2, 'it has arrived again', 100);
      await page.keyboard.press('Escape');
    } finally {
      receiver.close();
    }
  });

  it('count what has happened, as charts and as tables', async () => {
    await tab.link('Overview');
    const card = page.getByRole('region', { name: 'Collections', exact: true });
    const { json } = await http('GET', `${ready.base_url}/connect/v1/activity`, { headers: { ...client } });
    const counts = json.at('total') as { collections: Record<string, number>; new_connections: number };
    const collections = Object.values(counts.collections).reduce((sum, count) => sum + count, 0);
    expect(collections).toBeGreaterThan(1);
    expect(await card.locator('.figure strong').innerText()).toBe(String(collections));
    await page.getByText(`${counts.new_connections} new connections`).waitFor();
    await card.getByText('As a table').click();
    expect(await card.locator('tbody tr').count()).toBe(30);
    await tab.link('7 days');
    await waitUntil(async () => (await card.locator('tbody tr').count()) === 7, 'the table has seven days', 50);
    expect(new URL(page.url()).search).toBe('?days=7');
    await page
      .getByRole('region', { name: 'Webhooks accepted', exact: true })
      .getByText(/ms|None yet/)
      .first()
      .waitFor();
  });

  it('show the use of limits, and who has done what', async () => {
    await tab.link('Usage');
    await page.getByText('webhook-endpoints').first().click();
    await page.getByRole('dialog').getByText('1 of 10').waitFor();
    await page.keyboard.press('Escape');
    await tab.link('Audit log');
    const events = page.locator('tbody tr');
    await events.first().waitFor();
    await page.getByLabel('Event', { exact: true }).selectOption({ label: 'User created' });
    await tab.button('Search');
    const { json } = await http('GET', `${ready.base_url}/user-management/v1/user`, { headers: { ...client } });
    const users = json.number('total');
    await waitUntil(async () => (await events.count()) === users, 'the events of users are left', 100);
    await events.first().locator('button').click();
    const panel = page.getByRole('dialog');
    await panel.getByText('user.created').first().waitFor();
    await panel.getByText('Request id', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${page.url().split('?')[0]}?from=2001-01-01T00:00&to=2001-01-02T00:00`);
    await tab.heading('No event matches');
  });

  it('send what the API explorer shows, whose command does the same', async () => {
    await tab.link('API explorer');
    await tab.fill('Find an operation', 'list users');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await tab.heading('List users, or find one');
    await tab.fill('limit in the query', '2');
    await tab.button(/^Send$/);
    await page.getByText('200 OK').waitFor();
    const command = await page.locator('form pre code').first().innerText();
    const env = { ...process.env, CLIENT_SECRET: client.client_secret };
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
    const answer = JSON.parse(await page.locator('.answer pre code').last().innerText()) as object;
    expect(answer).toMatchObject({ success: true, limit: 2, entry: [{}, {}] });
    expect(JSON.parse(stdout)).toEqual(answer);

    await page.goto(`${page.url().split('?')[0]}?operation=fhir.searchResource`);
    // The form begins anew with another user.
    const user = page.getByLabel('User', { exact: true });
    const [chosen] = await user.selectOption({ index: 2 });
    await waitUntil(async () => (await user.inputValue()) === chosen, 'the user is chosen', 50);
    await page.getByLabel(/^type/).fill('Patient');
    await tab.fill('Search', '_summary=count');
    await tab.button(/^Send$/);
    await page.getByText('200 OK').waitFor();
    await page.getByText('"searchset"').waitFor();
    expect(await page.content()).not.toContain(client.client_secret);
  });

  it('ask in the API explorer for the host of a webhook endpoint before they delete it', async () => {
    await page.goto(`${page.url().split('?')[0]}?operation=users.deleteWebhookEndpoint`);
    await tab.button(/^Send$/);
    const dialog = page.getByRole('alertdialog');
    const [, host = ''] = /^Name to confirm: (localhost:\d+)$/.exec(await dialog.locator('label').innerText()) ?? [];
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('Enter the name as it is written above.').waitFor();
    await dialog.getByRole('textbox').fill(host);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.getByText('200 OK').waitFor();
    expect(JSON.parse(await page.locator('.answer pre code').last().innerText())).toEqual({ success: true });
  });

  it('rotate the secret, which is shown once', async () => {
    await tab.link('Settings');
    await tab.button('Rotate the secret…');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click();
    await tab.heading('The new secret');
    await page.keyboard.press('Escape');
    await tab.heading('The new secret');
    await tab.button('I have kept it');
    await page.getByText(/^Works until/).waitFor();
  });

  it('are accessible in both themes, at a desk and at 400 % zoom, and scroll in one direction only', async () => {
    const { pathname } = new URL(page.url());
    const [organisation, client] = [pathname.split('/clients/')[0], pathname.split('/settings')[0]];
    const root = new URL(tab.at('')).pathname;
    const paths = [organisation, client]
      .map((path = '') => path.slice(root.length))
      .flatMap((path, index) =>
        (index === 0
          ? ['clients', 'clients/new', 'members', 'settings']
          : ['overview', 'users', 'exports', 'webhooks', 'audit', 'explorer', 'usage', 'settings']
        ).map((name) => `${path}/${name}`),
      );
    expect(await tab.accessibilityProblems([...paths, 'account', 'organisations/new', 'nothing'])).toEqual([]);
  });

  it('ask to sign in again after the end of a session, and lead back', async () => {
    await page.goto(tab.at('account'));
    await tab.heading('Account settings');
    await tab.context.clearCookies();
    await page.reload();
    await tab.heading('Sign in');
    await tab.fill('E-mail address', email);
    await tab.fill('Password', 'not the password 81');
    await tab.button('Continue');
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await tab.fill('Password', developerPassword);
    await tab.button('Continue');
    await tab.heading('Second factor');
    await typeNewCode();
    await tab.button('Continue');
    await tab.heading('Account settings');
  });

  it('delete the application by its name', async () => {
    await page.goto(tab.at(''));
    await tab.heading('Applications');
    await tab.link('Better Sleep');
    await tab.heading('Overview');
    await tab.link('Settings');
    await tab.button('Delete…');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill('Better');
    await dialog.getByRole('button', { name: 'Delete application' }).click();
    await dialog.getByText('Enter the name as it is written above.').waitFor();
    await dialog.getByRole('textbox').fill('Better Sleep');
    await dialog.getByRole('button', { name: 'Delete application' }).click();
    await page.getByText(/Deleted on/).waitFor();
  });
});
