import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrl } from '@tributary/postgres';
import { Client } from 'pg';
import { http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();

describe('API documentation', () => {
  it.each([
    ['user management', ready.base_url, '/user-management/v1/user'],
    ['the FHIR store', `${ready.base_url}/fhir-store`, '/{release}/{type}'],
    ['auth', ready.auth_url, '/oauth2/token'],
    ['search', ready.search_url, '/api/search'],
    ['analytics export', ready.analytics_url, '/bulk-data/r4/$export'],
  ])('of %s is served, as OpenAPI and as a page', async (_name, base, path) => {
    const document = await http('GET', `${base}/openapi.json`);
    expect(String(document.json.at('openapi'))).toMatch(/^3\.1/);
    expect(Object.keys(document.json.at('paths') as object).some((known) => known === path || path.includes('{'))).toBe(
      true,
    );
    const page = await http('GET', `${base}/docs`);
    expect([page.status, page.text.includes('swagger-ui')]).toEqual([200, true]);
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
