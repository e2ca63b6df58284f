import type { Browser, Page } from 'playwright-core';
import { hasBrowser, launchBrowser } from '../suite/browser';
import { type User, collected, newClient, newUser } from '../suite/users';
import { readySuite } from '../suite/ready';

const ready = readySuite();
(hasBrowser ? describe : describe.skip)('connecting in a browser', () => {
  let browser: Browser;
  let user: User;
  const patient = ready.sandbox.patients[0]!;
  beforeAll(async () => {
    user = await newUser(ready, await newClient(ready, 'browser journey'));
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const connectUrl = (): string =>
    `${ready.base_url}/connect/system/clinical/${ready.sandbox.health_system_id}?${new URLSearchParams({ client_id: user.client_id, access_token: user.access_token, fhirVersion: patient.releases[0]! }).toString()}`;
  async function openSignIn(): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(connectUrl());
    return page;
  }
  async function shot(page: Page, name: string): Promise<void> {
    if (process.env['JOURNEY_SCREENSHOTS'])
      await page.screenshot({ path: `${process.env['JOURNEY_SCREENSHOTS']}/${name}.png`, fullPage: true });
  }

  it('lets the patient sign in, see the requested access, and allow it', async () => {
    const page = await openSignIn();
    await shot(page, 'sign-in');
    await page.getByLabel(/user ?name/i).fill(patient.username);
    await page.getByLabel(/password/i).fill('not the password');
    await page.getByRole('button', { name: /sign in/i }).click();
    expect(await page.content()).toMatch(/wrong|not right|incorrect|unknown/i);
    await page.getByLabel(/user ?name/i).fill(patient.username);
    await page.getByLabel(/password/i).fill(patient.password);
    await page.getByRole('button', { name: /sign in/i }).click();
    await shot(page, 'consent');
    await page.getByRole('button', { name: /allow/i }).click();
    await page.waitForURL(`${ready.client.redirect_uri}**`);
    expect(new URL(page.url()).searchParams.get('success')).toBe('true');
    await shot(page, 'connected');
    expect((await collected(ready, user)).map((connection) => connection.at('status'))).toEqual(['active']);
  });

  it('reports a denial to the client', async () => {
    const page = await openSignIn();
    await page.getByLabel(/user ?name/i).fill(patient.username);
    await page.getByLabel(/password/i).fill(patient.password);
    await page.getByRole('button', { name: /sign in/i }).click();
    await page.getByRole('button', { name: /deny|refuse|cancel|not allow/i }).click();
    await page.waitForURL(`${ready.client.redirect_uri}**`);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      success: 'false',
      error: 'access_denied',
      health_system_id: String(ready.sandbox.health_system_id),
    });
  });

  it('shows an error page for an invalid URL', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(
      `${ready.base_url}/connect/system/clinical/${ready.sandbox.health_system_id}?client_id=nobody&access_token=wrong`,
    );
    await shot(page, 'refused');
    expect(await page.getByRole('heading').first().textContent()).not.toBe('');
  });
});
