import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { hasBrowser, launchBrowser } from '../suite/browser';
import { checkAnswersOf } from '../suite/check-answers';
import { type Example, startExample } from '../suite/example';
import { readySuite } from '../suite/ready';

const ready = readySuite();
const patient = ready.sandbox.patients.find(({ releases }) => releases.includes('r4'))!;
const program = join(__dirname, '..', '..', '..', '..', 'packages', 'sdk', 'example', 'server.mjs');

// A suite in containers cannot send webhooks to a server on this machine.
(hasBrowser && !process.env['JOURNEY_ADMIN'] ? describe : describe.skip)('the example of @tributary/sdk', () => {
  let browser: Browser;
  let example: Example;
  let origin: string;

  beforeAll(async () => {
    example = await startExample(ready, program, 'sdk example');
    ({ origin } = example);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    example?.process.kill();
  });

  it('lets a user sign up, connect, see conditions and laboratory results, and export them', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    checkAnswersOf(page);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      // Chromium also reports it for streams that were read to their end. The number of lines proves that they are
      // complete.
      if (reason !== 'net::ERR_ABORTED') errors.push(`${new URL(request.url()).pathname} ${reason}`);
    });
    const texts = async (id: string): Promise<string[]> => {
      await page.locator(`#${id} li`).first().waitFor();
      return page.locator(`#${id} li`).allTextContents();
    };

    await page.goto(origin);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByLabel('Health system').fill('sandbox');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator(`#systems a[href$="=${ready.sandbox.health_system_id}"]`).click();
    await page.getByRole('button', { name: 'Yes, continue' }).click();
    await page.getByLabel(/user ?name/i).fill(patient.username);
    await page.getByLabel(/password/i).fill(patient.password);
    await page.getByRole('button', { name: /sign in/i }).click();
    await page.getByRole('button', { name: /allow/i }).click();
    await page.waitForURL(`${origin}/#connected`);

    expect((await texts('conditions')).every((text) => text !== '' && text !== 'unnamed')).toBe(true);
    expect((await texts('labs'))[0]).toMatch(/\S+: [\d.]+ \S+ \(\d{4}/);
    expect(await texts('connections')).toEqual([
      expect.stringMatching(/: active, (\d+) of \1 types, [1-9]\d* resources$/),
    ]);

    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByText(/^[1-9]\d* resources exported$/).waitFor();
    expect(errors).toEqual([]);
    if (process.env['JOURNEY_SCREENSHOTS'])
      await page.screenshot({ path: `${process.env['JOURNEY_SCREENSHOTS']}/sdk-example.png`, fullPage: true });

    const readEvents = (): Promise<string[]> =>
      page.evaluate(async () => (await (await fetch('/events')).json()) as string[]);
    let events = await readEvents();
    for (let attempt = 0; attempt < 240 && !events.includes('collection.completed'); attempt++) {
      await page.waitForTimeout(500);
      events = await readEvents();
    }
    expect(events).toEqual(expect.arrayContaining(['connection.active', 'collection.completed']));
    expect(example.errors()).toBe('POST /token: Error: sign up first\n');
  });

  it('refuses a connect that another person began, and an unsigned webhook', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.locator('#signed-in').waitFor();
    const answer = await page.goto(`${origin}/connected?success=true&health_system_id=1&connection_id=x&state=guessed`);
    expect(answer?.status()).toBe(400);
    const body = JSON.stringify({ type: 'webhook.test', data: {} });
    expect((await fetch(`${origin}/webhook`, { method: 'POST', body })).status).toBe(400);
  });

  it('refuses an address that is not valid and a body that is too large, and goes on', async () => {
    expect((await fetch(`${origin}//`)).status).toBe(400);
    const body = Buffer.alloc(1_500_000);
    expect((await fetch(`${origin}/webhook`, { method: 'POST', body })).status).toBe(413);
    expect((await fetch(origin)).status).toBe(200);
  });
});
