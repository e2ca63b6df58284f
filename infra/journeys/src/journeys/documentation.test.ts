import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrl } from '@tributary/postgres';
import { Client } from 'pg';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { hasBrowser, launchBrowser } from '../suite/browser';
import { http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();

describe('the OpenAPI document', () => {
  it.each([
    ['user management', `${ready.base_url}/user-management`, '/user-management/v1/user'],
    ['auth', ready.auth_url, '/oauth2/token'],
    ['search', ready.search_url, '/api/search'],
    ['analytics export', ready.analytics_url, '/bulk-data/r4/$export'],
  ])('of %s is served', async (_name, base, path) => {
    const document = await http('GET', `${base}/openapi.json`);
    expect(String(document.json.at('openapi'))).toMatch(/^3\.1/);
    expect(Object.keys(document.json.at('paths') as object)).toContain(path);
  });
});

describe('the documentation site', () => {
  it('is where {base_url} leads', async () => {
    const page = await http('GET', `${ready.base_url}/`);
    expect([page.status, page.headers.get('location')]).toEqual([302, `${ready.base_url}/docs`]);
  });

  it('has an index for language models', async () => {
    const index = await http('GET', `${ready.base_url}/llms.txt`);
    expect([index.status, index.text.includes(`${ready.base_url}/docs/quick-start.md`)]).toEqual([200, true]);
  });
});

(hasBrowser ? describe : describe.skip)('the documentation site in a browser', () => {
  const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  /** Opens each page, and collects what a reader would notice: errors, requests elsewhere, overflow, axe violations. */
  async function problemsOf(paths: string[], settings: BrowserContextOptions): Promise<string[]> {
    const context = await browser.newContext({ bypassCSP: false, ...settings });
    const page = await context.newPage();
    const problems: string[] = [];
    const origins = [ready.base_url, ready.auth_url, ready.search_url, ready.analytics_url].map(
      (url) => new URL(url).origin,
    );
    let path = '';
    page.on('console', (message) => {
      // Redoc shows its logo from elsewhere; the Content-Security-Policy blocks it before a request is sent.
      if (message.type() === 'error' && !message.text().includes('redoc/logo'))
        problems.push(`${path}: ${message.text()}`);
    });
    page.on('pageerror', (error) => problems.push(`${path}: ${error.message}`));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && !origins.includes(origin) && !request.url().includes('redoc/logo'))
        problems.push(`${path}: requests ${origin}`);
    });
    for (path of paths) {
      await page.goto(ready.base_url + path);
      if (path.includes('/reference/')) await page.waitForSelector('[data-state=drawn]', { timeout: 280_000 });
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) problems.push(`${path}: overflows`);
      // Redoc writes the inside of a reference.
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        `${axe}; axe.run({ exclude: ['#reference'] }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })`,
      );
      problems.push(...violations.map(({ id, nodes }) => `${path}: ${id} ${nodes[0]?.html}`));
    }
    await context.close();
    return problems;
  }

  const guides = ['', '/quick-start', '/connecting', '/webhooks', '/fhir-search', '/export', '/limits', '/sandbox'];
  const facts = ['/versioning', '/production', '/api', '/errors', '/changelog'];
  const pages = [...guides, ...facts].map((name) => `/docs${name}`);

  it.each([
    ['light, wide', 'light', 1280],
    ['dark, narrow', 'dark', 390],
  ] as const)('shows every page without an error: %s', async (_name, colorScheme, width) => {
    expect(await problemsOf(pages, { colorScheme, viewport: { width, height: 900 } })).toEqual([]);
  });

  it.each(['users', 'tokens', 'health-systems', 'fhir-r4', 'bulk-export'])(
    'draws the API reference of %s',
    async (name) => {
      const settings = { colorScheme: 'dark', viewport: { width: 1280, height: 900 } } as const;
      expect(await problemsOf([`/docs/reference/${name}`], settings)).toEqual([]);
    },
  );

  it('keeps a chosen theme, and shows its pages without JavaScript', async () => {
    const context = await browser.newContext({ colorScheme: 'light' });
    const page = await context.newPage();
    await page.goto(`${ready.base_url}/docs`);
    await page.getByRole('button', { name: 'Use the dark theme' }).click();
    await page.goto(`${ready.base_url}/docs/export`);
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await context.close();
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const quickStart = await plain.newPage();
    await quickStart.goto(`${ready.base_url}/docs/quick-start`);
    expect(await quickStart.locator('h1').textContent()).toBe('Quick start');
    await plain.close();
  });
});

/**
 * Tables by schema, as a page lists them: a heading with the schema, then a table with the name in the first column.
 */
function tablesOfPage(text: string): string[] {
  return text.split(/^## /m).flatMap((section) => {
    const schema = section.split('\n', 1)[0];
    return [...section.matchAll(/^\| `(\w+)`/gm)].map(([, table]) => `${schema}.${table}`);
  });
}

const home = process.env['JOURNEY_HOME'];
(home === undefined ? describe.skip : describe)('the inventory of tables', () => {
  it('lists every table of the database, and no other', async () => {
    const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'tables.md'), 'utf8');
    const secrets = JSON.parse(readFileSync(join(home as string, 'secrets.json'), 'utf8')) as Record<string, string>;
    const port = Number(new URL(ready.base_url).port) + 30;
    const database = new Client({
      connectionString: databaseUrl('auth', {
        host: '127.0.0.1',
        port,
        password: secrets['database-password-auth'] as string,
      }),
    });
    await database.connect();
    try {
      const { rows } = await database.query<{ name: string }>(
        `SELECT nspname || '.' || relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
         WHERE relkind IN ('r', 'p') AND NOT relispartition AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
           AND relname <> 'migration'`,
      );
      expect(tablesOfPage(page).sort()).toEqual(rows.map(({ name }) => name).sort());
    } finally {
      await database.end();
    }
  });
});
