import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityProblems, hasBrowser, launchBrowser } from '../suite/browser';
import { describeDatabase, withDatabase } from '../suite/database';
import { http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();

describe('the OpenAPI document', () => {
  it.each([
    ['user management', `${ready.base_url}/user-management`, '/user-management/v1/user'],
    ['audit events', `${ready.base_url}/audit`, '/audit/r4/AuditEvent'],
    ['FHIR', `${ready.base_url}/fhir-store`, '/{release}/{type}/{id}'],
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

const references = ['users', 'tokens', 'health-systems', 'fhir', 'bulk-export', 'audit-events'];

// The pages are the same in containers.
const inContainers = process.env['JOURNEY_ADMIN'] !== undefined;

(hasBrowser && !inContainers ? describe : describe.skip)('the documentation site in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  /** Opens each page, and collects what a reader would notice: errors, requests elsewhere, overflow, axe violations. */
  async function problemsOf(
    paths: string[],
    settings: BrowserContextOptions,
    complete: (page: Page) => Promise<void> = () => Promise.resolve(),
  ): Promise<string[]> {
    const context = await browser.newContext({ bypassCSP: false, ...settings });
    const page = await context.newPage();
    const problems: string[] = [];
    const { base_url, auth_url, search_url, analytics_url } = ready;
    const origins = new Set([base_url, auth_url, search_url, analytics_url].map((url) => new URL(url).origin));
    let path = '';
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(`${path}: ${message.text()}`);
    });
    page.on('pageerror', (error) => problems.push(`${path}: ${error.message}`));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && !origins.has(origin)) problems.push(`${path}: requests ${origin}`);
    });
    for (path of paths) {
      await page.goto(ready.base_url + path);
      await complete(page);
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${path}: ${problem}`));
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

  describe.each(references)('the API reference of %s', (name) => {
    const path = `/docs/reference/${name}`;

    it.each([
      ['light, wide', 'light', 1280],
      ['dark, narrow', 'dark', 390],
    ] as const)('has every operation of the document, and no error: %s', async (_name, colorScheme, width) => {
      expect(await problemsOf([path], { colorScheme, viewport: { width, height: 900 } }, drawn)).toEqual([]);
    });
  });

  /** Waits until Redoc has drawn every operation and event of the document. */
  async function drawn(page: Page): Promise<void> {
    const address = await page.locator('#reference').getAttribute('data-document');
    const document = (await http('GET', String(address))).json;
    const described = [
      ...Object.values(document.at('paths') as object),
      ...Object.values(document.at('webhooks') ?? {}),
    ];
    const operations = described.flatMap((item: object) =>
      Object.values(item).map((operation: { operationId: string }) => operation.operationId),
    );
    expect(operations).not.toEqual([]);
    for (const operation of operations) await page.locator(`[id$="operation/${operation}"]`).first().waitFor();
  }

  it('says when an OpenAPI document cannot be read', async () => {
    const page = await browser.newPage();
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503 }));
    await page.goto(`${ready.base_url}/docs/reference/tokens`);
    await page.getByRole('alert').waitFor();
    await page.close();
  });

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

describeDatabase('the inventory of tables', () => {
  it('lists every table of the database, and no other', async () => {
    const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'tables.md'), 'utf8');
    const { rows } = await withDatabase(ready, (client) =>
      client.query<{ name: string }>(
        `SELECT nspname || '.' || relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
         WHERE relkind IN ('r', 'p') AND NOT relispartition AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
           AND relname <> 'migration'`,
      ),
    );
    expect(tablesOfPage(page).sort()).toEqual(rows.map(({ name }) => name).sort());
  });
});
