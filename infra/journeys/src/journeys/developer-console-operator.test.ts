import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '@tributary/test-environment';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityProblems, hasBrowser, launchBrowser } from '../suite/browser';
import { ConsoleTab, operatorAddresses } from '../suite/console-tab';
import { describeDatabase, withDatabase } from '../suite/database';
import { DeveloperSession, developerPassword, totpCode } from '../suite/developers';
import { http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type ClientCredentials, admin } from '../suite/users';

const ready = readySuite();

(hasBrowser ? describe : describe.skip)('the pages of operators', () => {
  const clientName = `Operated ${process.pid} ${Date.now()}`;
  const pausedHost = `paused-${process.pid}.example.org`;
  let browser: Browser;
  let tab: ConsoleTab;
  let page: Page;
  let operator: DeveloperSession;
  let operatorId: string;
  let developer: DeveloperSession;
  let developerId: string;
  let organisation: string;
  let client: ClientCredentials;

  const idOf = async (session: DeveloperSession): Promise<string> =>
    (await session.call('GET', 'account')).json.text('id');
  /** Navigates as somebody does with the mouse. */
  const area = (name: string) => page.getByRole('navigation', { name: 'Service' }).getByRole('link', { name }).click();
  /** Presses a button of the panel, and confirms that. */
  const change = async (action: string, inside: Locator = page.getByRole('dialog')): Promise<void> => {
    await inside.getByRole('button', { name: `${action}…`, exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: action, exact: true }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  };
  const find = async (label: string, text: string): Promise<void> => {
    await tab.fill(label, text);
    await tab.button('Find');
    await page.waitForURL((url) => url.searchParams.get('text') === text);
  };
  /** Opens the only row that a search has found. */
  const openRow = async (): Promise<void> => {
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    await page.locator('.row-open').click();
    await page.getByRole('dialog').waitFor();
  };
  const shut = (): Promise<void> => page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  beforeAll(async () => {
    browser = await launchBrowser();
    operator = await DeveloperSession.signUp(ready);
    operatorId = await idOf(operator);
    developer = await DeveloperSession.signUp(ready);
    developerId = await idOf(developer);
    organisation = (await developer.call('POST', 'organisations', { name: clientName })).json.text('id');
    const { json } = await newClient('test');
    client = { client_id: json.text('client_id'), client_secret: json.text('client_secret') };
    tab = await ConsoleTab.open(browser, ready, operator);
    ({ page } = tab);
  });
  afterAll(async () => {
    await browser.close();
    expect(tab.problems).toEqual([]);
  });

  const newClient = (mode: 'live' | 'test') =>
    developer.call('POST', `organisations/${organisation}/clients`, {
      mode,
      name: clientName,
      redirect_uris: [mode === 'test' ? ready.client.redirect_uri : 'https://app.example.org/back'],
    });
  const expectNoArea = async (): Promise<void> => {
    for (const path of operatorAddresses) {
      await tab.goTo(path);
      expect([path, await page.locator('h1').first().innerText()]).toEqual([path, 'There is no such page']);
    }
    expect(await page.getByRole('navigation', { name: 'Service' }).count()).toBe(0);
  };

  it('do not exist for other developers', async () => {
    expect(operatorAddresses).toEqual(expect.arrayContaining(['operator/clients', 'operator/services']));
    await tab.goTo('account');
    await tab.heading('Account settings');
    await expectNoArea();
  });

  it('disable an application, and enable it', async () => {
    await admin('account', 'make-operator', '--email', operator.email);
    const status = async (): Promise<number> =>
      (await http('GET', `${ready.auth_url}/client-management/v1/client`, { headers: { ...client } })).status;
    await tab.goTo('account');
    await area('All applications');
    await find('Find by name, client_id or id of the organisation', clientName);
    await openRow();
    const panel = page.getByRole('dialog', { name: clientName });
    await panel.getByText(client.client_id).waitFor();
    await panel.getByText('0 users').waitFor();
    expect(await status()).toBe(200);
    await change('Disable');
    await panel.getByText(/^Disabled since/).waitFor();
    expect(await status()).toBe(401);
    await change('Enable');
    await panel.getByText('Active', { exact: true }).waitFor();
    expect(await status()).toBe(200);
  });

  it('lead to the organisation of an application, and allow it live applications', async () => {
    expect((await newClient('live')).json.at('error_code')).toBe('live_clients_not_allowed');
    await page.getByRole('dialog').getByRole('link', { name: clientName }).click();
    const panel = page.getByRole('dialog');
    await panel.getByText(developer.email).waitFor();
    await change('Allow live applications');
    await panel.getByText('Allowed', { exact: true }).waitFor();
    expect((await newClient('live')).status).toBe(201);
    await change('Refuse live applications');
    await panel.getByText('Not allowed', { exact: true }).waitFor();
    expect((await newClient('live')).json.at('error_code')).toBe('live_clients_not_allowed');
    await shut();
  });

  it('disable an account, whose session ends, and enable it', async () => {
    const signIn = async (): Promise<number> =>
      (await new DeveloperSession(ready, developer.email).call('POST', 'sign-in', signingIn)).status;
    const signingIn = { email: developer.email, password: developerPassword };
    await tab.link('Accounts');
    await find('Find by name, e-mail address or id', developer.email);
    await openRow();
    expect((await developer.call('GET', 'account')).status).toBe(200);
    await change('Disable');
    await page.getByText(/^Disabled since/).waitFor();
    expect([(await developer.call('GET', 'account')).status, await signIn()]).toEqual([401, 401]);
    await change('Enable');
    await page.getByRole('dialog').getByText('Active', { exact: true }).waitFor();
    expect([(await developer.call('GET', 'account')).status, await signIn()]).toEqual([401, 200]);
    await shut();
    await find('Find by name, e-mail address or id', operator.email);
    await openRow();
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Disable…' }).count()).toBe(0);
    await shut();
  });

  it('test the connection to the sandbox', async () => {
    await area('Health systems');
    await page.getByRole('table', { name: 'Registrations' }).locator('tbody tr').first().waitFor();
    await page.getByRole('table', { name: 'Sources of the directory' }).locator('tbody tr').first().waitFor();
    await tab.fill('Health system', String(ready.sandbox.health_system_id));
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    // In containers, the authorization endpoint is not reachable at the address that browsers use.
    await page.getByText(/^Nothing failed|steps? failed\./).waitFor();
    expect(await page.locator('.steps > li').count()).toBeGreaterThan(9);
  });

  // A suite in containers cannot send requests to a server on this machine.
  (process.env['JOURNEY_ADMIN'] ? it.skip : it)('show each step of a connection test as it ends', async () => {
    const waiting: ServerResponse[] = [];
    const healthSystem = createServer((_request, response) => waiting.push(response)).listen(0, '127.0.0.1');
    await once(healthSystem, 'listening');
    try {
      const { port } = healthSystem.address() as AddressInfo;
      await tab.fill('Health system', `http://localhost:${port}/fhir/r4`);
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      for (const shown of ['1 step', '2 steps', '3 steps']) {
        await page.getByText(`Testing: ${shown} so far…`).waitFor();
        await waitUntil(() => waiting.length > 0, 'the next step has begun', 50);
        if (shown === '3 steps') healthSystem.on('request', (_request, response) => response.destroy());
        for (const response of waiting.splice(0)) response.writeHead(404).end();
      }
      await page.getByText(/steps failed\. Begin with the first one/).waitFor();
    } finally {
      healthSystem.closeAllConnections();
      healthSystem.close();
    }
  });

  it('pause a host, and resume it', async () => {
    await tab.button('Pause a host…');
    await tab.fill('Host, or id of the health system', pausedHost);
    await tab.fill('Reason', 'maintenance until noon');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const host = page.getByRole('listitem').filter({ hasText: pausedHost });
    await host.getByText('Paused', { exact: true }).waitFor();
    await host.getByText(/^Maintenance until noon\. Since/).waitFor();
    expect(await admin('health-system', 'paused')).toContain(pausedHost);
    await change('Resume', host);
    await host.waitFor({ state: 'detached' });
    expect(await admin('health-system', 'paused')).not.toContain(pausedHost);
  });

  it('show the queue, and that all services are ready', async () => {
    await area('Queue');
    for (const name of ['Collections in the queue', 'Hosts with most collections', 'Connections by status'])
      await tab.heading(name);
    await area('Services');
    const rows = page.getByRole('table', { name: 'Services' }).locator('tbody tr');
    await rows.first().waitFor();
    const states = await rows.allInnerTexts();
    expect(states.length).toBeGreaterThan(7);
    expect(states.filter((text) => !/\bReady\b/.test(text))).toEqual([]);
  });

  it('show the current version of each key-encryption key, and the commands', async () => {
    await area('Keys');
    const tables = page.getByRole('table', { name: /^Versions of/ });
    await tables.first().waitFor();
    const services = ['user-management', 'fhir-store', 'ingestion-worker', 'console'];
    expect(await tables.locator('caption').allInnerTexts()).toEqual(services.map((name) => `Versions of ${name}`));
    const current = tables.locator('tbody tr').filter({ hasText: 'Wraps' });
    expect(await current.count()).toBe(services.length);
    const printed = await admin('keys', 'status');
    for (const id of await current.locator('code').allInnerTexts()) expect(printed).toContain(`${id}  current`);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByText('By command: show the versions').click();
    await page.getByText('npm run admin -- keys status', { exact: true }).waitFor();
  });

  const verify = async (result: RegExp): Promise<void> => {
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText(result).waitFor();
  };
  /** Looks until the daily verification, which begins within a minute when it is due, has this state. */
  const untilDaily = async (state: string): Promise<void> => {
    const shown = page.getByText(state, { exact: true });
    await waitUntil(
      async () => {
        await tab.button('Look again');
        return (await shown.count()) > 0;
      },
      `the daily verification is "${state}"`,
      1000,
    );
  };

  it('verify the audit log, and show its checkpoints and processes', async () => {
    await area('Audit log');
    await untilDaily('Complete and unchanged');
    for (const name of ['Newest signed checkpoints', 'Processes that record events, newest first'])
      await page.getByRole('table', { name }).locator('tbody tr').first().waitFor();
    await verify(/ streams, .+ blocks with .+ events and .+: complete and unchanged\.$/);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  describeDatabase('after somebody has changed a block of the audit log', () => {
    interface Block {
      stream_id: string;
      sequence: string;
      content: Buffer;
    }
    let block: Block;
    const setContent = ({ stream_id, sequence, content }: Block): Promise<void> =>
      withDatabase(ready, async (database) => {
        const where = 'WHERE stream_id = $1 AND sequence = $2';
        await database.query(`UPDATE audit.block SET content = $3 ${where}`, [stream_id, sequence, content]);
        await database.query('UPDATE audit.verification SET verified_at = NULL');
      });

    beforeAll(async () => {
      const newest = 'SELECT stream_id, sequence, content FROM audit.block ORDER BY started_at DESC LIMIT 1';
      const { rows } = await withDatabase(ready, (database) => database.query<Block>(newest));
      block = rows[0]!;
      await setContent({ ...block, content: Buffer.concat([block.content, Buffer.of(0)]) });
    });
    afterAll(async () => {
      await setContent(block);
      await verify(/: complete and unchanged\.$/);
    });

    it('name it', async () => {
      await verify(/problems?\. Follow the runbook/);
      const problems = page.getByRole('table', { name: 'Problems' }).locator('tbody tr');
      const changed = problems.filter({ hasText: 'Block changed' });
      expect(await changed.innerText()).toContain(`Stream ${block.stream_id}, block ${block.sequence}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      await untilDaily('Changed');
      await page.getByText(/problems? found: verify now/).waitFor();
    });
  });

  describeDatabase('with a second factor of eleven minutes ago', () => {
    it('ask for one before they change something', async () => {
      await withDatabase(ready, (database) =>
        database.query(
          "UPDATE console.session SET second_factor_at = now() - interval '11 minutes' WHERE account_id = $1",
          [operatorId],
        ),
      );
      await tab.goTo(`operator/clients?open=${client.client_id}`);
      const panel = page.getByRole('dialog', { name: clientName });
      await panel.getByRole('button', { name: 'Disable…' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
      await tab.heading('Confirm that it is you');
      expect(await panel.getByText(/^Disabled since/).count()).toBe(0);
      // No code works twice: that of the next half minute is accepted, too.
      await tab.fill('Six-digit code', totpCode(operator.totpSecret, 1));
      await tab.button('Continue');
      await panel.getByText(/^Disabled since/).waitFor();
    });
  });

  it('are accessible in both themes, at a desk and at 400 % zoom, and scroll in one direction only', async () => {
    const panels = [
      `operator/clients?open=${client.client_id}`,
      `operator/clients/organisations?open=${organisation}`,
      `operator/clients/accounts?text=${developerId}&open=${developerId}`,
    ];
    expect(await tab.accessibilityProblems([...operatorAddresses, ...panels])).toEqual([]);
  });

  it('are closed by command, at once', async () => {
    await tab.goTo('operator/clients');
    await tab.heading('Applications and organisations');
    await admin('account', 'remove-operator', '--email', operator.email);
    await find('Find by name, client_id or id of the organisation', clientName);
    await page.getByRole('alert').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(0);
    await expectNoArea();
  });

  it('leave in the audit log who has changed what', async () => {
    const events = (await admin('audit', 'export'))
      .split('\n')
      .filter((line) => line.includes(operatorId))
      .map(
        (line) =>
          JSON.parse(line) as {
            kind: string;
            action: string;
            outcome: string;
            agent: { operator?: string };
            entities: { query?: string }[];
          },
      )
      .filter(({ kind, agent }) => kind === 'operator.request' && agent.operator === operatorId);
    const changes = events
      .filter(({ action, outcome }) => action === 'U' && outcome === 'success')
      .flatMap(({ entities }) => entities.map(({ query }) => query));
    const expected = [
      'disable',
      'enable',
      'allow-live',
      'refuse-live',
      `health-system pause ${pausedHost}`,
      `health-system resume ${pausedHost}`,
    ];
    expect(changes).toEqual(expect.arrayContaining(expected));
    const tests = events.filter(({ action }) => action === 'E').flatMap(({ entities }) => entities);
    expect(tests).toContainEqual({ query: `registration test ${ready.sandbox.health_system_id}` });
    expect(tests).toContainEqual({ query: 'audit verify' });
  });
});
