import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { accessibilityProblems, hasBrowser, launchBrowser } from '../suite/browser';
import { describeDatabase, withDatabase } from '../suite/database';
import { Json, http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();

describe('the OpenAPI document', () => {
  it.each([
    ['user management', `${ready.base_url}/user-management`, '/user-management/v1/user'],
    ['audit events', `${ready.base_url}/audit`, '/audit/r4/AuditEvent'],
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

/**
 * Each API reference; of those of FHIR, whose pages differ in the names of types only, the parts that a browser opens.
 */
const references: [name: string, someParts: string[] | undefined][] = [
  ['users', undefined],
  ['tokens', undefined],
  ['health-systems', undefined],
  ['fhir-r4', ['condition', 'operations', 'types']],
  ['fhir-stu3', ['binary']],
  ['fhir-dstu2', ['other-types']],
  ['bulk-export', undefined],
  ['audit-events', undefined],
];

/** The names of the pages of a reference behind its first page. */
async function partsOf(name: string): Promise<string[]> {
  const { text } = await http('GET', `${ready.base_url}/docs/reference/${name}`);
  const links = text.matchAll(new RegExp(`href="/docs/reference/${name}/([a-z0-9-]+)"`, 'g'));
  return [...new Set([...links].map(([, part]) => String(part)))];
}

describe('the API reference', () => {
  it.each(references)('of %s has every operation of the document, and no link that leads nowhere', async (name) => {
    const first = `/docs/reference/${name}`;
    const texts = new Map<string, string>();
    for (const path of [first, ...(await partsOf(name)).map((part) => `${first}/${part}`)]) {
      const page = await http('GET', ready.base_url + path);
      expect([path, page.status]).toEqual([path, 200]);
      texts.set(path, page.text);
    }
    const address = /OpenAPI document:\s*<a href="([^"]*)"/.exec(texts.get(first) ?? '')?.[1];
    const document = (await http('GET', String(address))).json;
    const described = [
      ...Object.values(document.at('paths') as object),
      ...Object.values(document.at('webhooks') ?? {}),
    ];
    const operations = described.flatMap((item: object) =>
      Object.values(item).map((operation: { operationId: string }) => operation.operationId),
    );
    const ids = new Map([...texts].map(([path, text]) => [path, new Set(idsOf(text))]));
    const sections = [...ids].filter(([path]) => path !== first).flatMap(([, some]) => [...some]);
    expect(sections).toEqual(expect.arrayContaining(operations));
    const links = [...texts].flatMap(([path, text]) =>
      [...text.matchAll(/href="(\/docs\/reference\/[^"#]*)?#([^"]*)"/g)].map(([, target, id]) => [target ?? path, id]),
    );
    expect(links.filter(([target, id]) => !ids.get(String(target))?.has(String(id)))).toEqual([]);
  });

  it('has commands that succeed when the values of the examples are replaced', async () => {
    const replaced = (command: string, values: Record<string, string>): string =>
      Object.entries(values).reduce((text, [from, to]) => text.replaceAll(from, to), command);
    const run = async (page: string, operation: string, values: Record<string, string>): Promise<Json> => {
      const command = replaced(await commandOf(page, operation), values);
      const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl ', 'curl -sS --fail ')]);
      return new Json(JSON.parse(stdout));
    };
    const client = {
      'your-client-id': ready.client.client_id,
      'your-client-secret': ready.client.client_secret,
    };
    const user = await run('users/users', 'createUser', { ...client, 'patient-1001': `reference-${randomUUID()}` });
    const tokens = await run('tokens/tokens', 'exchangeForTokens', {
      ...client,
      'code-of-the-user': user.text('code'),
    });
    const token = { 'access-token-of-the-user': tokens.text('access_token') };
    const condition = await run('fhir-r4/condition', 'createCondition', token);
    const found = await run('fhir-r4/condition', 'searchCondition', token);
    expect(found.at('entry', 0, 'resource', 'id')).toBe(condition.text('id'));
  });
});

function idsOf(text: string): string[] {
  return [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => String(id));
}

/** The command of an operation, as a reader copies it. */
async function commandOf(page: string, operation: string): Promise<string> {
  const { text } = await http('GET', `${ready.base_url}/docs/reference/${page}`);
  const section = text.slice(text.indexOf(` id="${operation}"`));
  const code = /<h3>Example<\/h3>\s*<pre[^>]*><code>([\s\S]*?)<\/code>/.exec(section)?.[1] ?? '';
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
  return code.replaceAll(/<[^>]*>/g, '').replaceAll(/&(\w+|#x27);/g, (_all, name: string) => entities[name] ?? '');
}

// The pages are the same in containers.
const inContainers = process.env['JOURNEY_ADMIN'] !== undefined;

(hasBrowser && !inContainers ? describe : describe.skip)('the documentation site in a browser', () => {
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
    let path = '';
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(`${path}: ${message.text()}`);
    });
    page.on('pageerror', (error) => problems.push(`${path}: ${error.message}`));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(ready.base_url).origin)
        problems.push(`${path}: requests ${origin}`);
    });
    for (path of paths) {
      await page.goto(ready.base_url + path);
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

  const referencePages = (name: string, parts: readonly string[]): string[] =>
    ['', ...parts.map((part) => `/${part}`)].map((path) => `/docs/reference/${name}${path}`);

  it.each(references)('shows the API reference of %s without an error: dark, narrow', async (name, someParts) => {
    const paths = referencePages(name, someParts ?? (await partsOf(name)));
    expect(await problemsOf(paths, { colorScheme: 'dark', viewport: { width: 390, height: 900 } })).toEqual([]);
  });

  // All references have the same style.
  it('shows an API reference without an error: light, wide', async () => {
    const paths = referencePages('users', (await partsOf('users')).slice(0, 1));
    expect(await problemsOf(paths, { colorScheme: 'light', viewport: { width: 1280, height: 900 } })).toEqual([]);
  });

  it('filters the operations of an API by words', async () => {
    const page = await browser.newPage();
    await page.goto(`${ready.base_url}/docs/reference/fhir-r4`);
    const rows = page.locator('.operations li:visible');
    const all = await rows.count();
    await page.getByLabel('Filter the operations').fill('encounter delete every');
    await page.getByText('1 found').waitFor();
    expect([all > 150, await rows.allTextContents()]).toEqual([
      true,
      [expect.stringContaining('Delete every Encounter')],
    ]);
    await rows.getByRole('link').click();
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe(
      '/docs/reference/fhir-r4/encounter#deleteEncounterBySearch',
    );
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
