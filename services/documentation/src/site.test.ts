import { type StaticFile, createLog } from '@tributary/service-kit';
import request from 'supertest';
import { urls } from '../test/urls';
import { documentationApp } from './app';
import { factPages, guides, notFoundPage, references } from './contents';
import { buildSite } from './site';

const log = createLog('documentation', 'silent');
let files: Map<string, StaticFile>;
let app: ReturnType<typeof documentationApp>;
beforeAll(async () => {
  files = await buildSite(urls, 'https://sandbox.example.org');
  app = documentationApp({ files, urls, log });
});

function textOf(path: string): string {
  const file = files.get(path);
  if (!file) throw new Error(`there is no ${path}`);
  return file.bytes.identity.toString();
}

const guidePages = ['/docs', ...[notFoundPage, ...guides, ...factPages].map(({ name }) => `/docs/${name}`)];
const documents = [...guidePages, ...references.map(({ name }) => `/docs/reference/${name}`)];

describe('the site', () => {
  it('has no page that is not tested here', () => {
    const pages = [...files].filter(([, { type }]) => type.startsWith('text/html')).map(([path]) => path);
    expect(pages.sort()).toEqual([...documents].sort());
  });

  it.each(documents)('%s links only to pages and sections that exist', (path) => {
    for (const [, target = ''] of textOf(path).matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^(https?:|data:)/.test(target)) continue;
      const [file, fragment] = target.split('#') as [string, string | undefined];
      expect({ target, isKnown: file === '' || files.has(file) }).toEqual({ target, isKnown: true });
      if (fragment) {
        const ids = [...textOf(file || path).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
        expect(ids).toContain(fragment);
      }
    }
  });

  it.each(documents)('%s has no inline script, style or event handler', (path) => {
    expect(textOf(path)).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle="|\son\w+="/);
  });

  it('shows the public addresses in place of those of a suite on this machine', () => {
    expect(textOf('/docs/quick-start')).toContain('https://api.example.org');
    for (const path of documents) expect(textOf(path)).not.toMatch(/localhost:400\d/);
    expect(textOf('/docs/sandbox')).toContain('https://sandbox.example.org/sandbox/patients');
  });

  it('draws every diagram', () => {
    expect(textOf('/docs/api')).toContain('<svg');
    for (const path of documents) expect(textOf(path)).not.toMatch(/stateDiagram|sequenceDiagram|flowchart/);
  });

  it.each(['index', ...[...guides, ...factPages].map(({ name }) => name)])(
    'the Markdown of %s links only to pages and sections that exist',
    (name) => {
      const links = [...textOf(`/docs/${name}.md`).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)/g)];
      for (const [link, file, section] of links) {
        expect([link, file === '' || files.has(`/docs/${file}`)]).toEqual([link, true]);
        const page = file === '' ? `${name}.md` : String(file);
        const html = textOf(page === 'index.md' ? '/docs' : `/docs/${page.replace(/\.md$/, '')}`);
        if (section) expect(html).toContain(` id="${section}"`);
      }
    },
  );

  it('has an index for language models whose pages exist', () => {
    const pages = [...textOf('/llms.txt').matchAll(/\(https:\/\/api\.example\.org(\/docs\/[^)]*)\)/g)].map(
      ([, path]) => path,
    );
    expect(pages.length).toBeGreaterThan(guides.length);
    for (const path of pages) expect(files.has(String(path))).toBe(true);
  });
});

describe('the service', () => {
  it('redirects {base_url} to the documentation', async () => {
    const response = await request(app).get('/');
    expect([response.status, response.headers['location']]).toEqual([302, 'https://api.example.org/docs']);
  });

  it.each(['br', 'gzip'])('sends a file in %s, and 304 to a client that has it', async (encoding) => {
    const response = await request(app).get('/docs/assets/site.css').set('Accept-Encoding', encoding);
    expect([response.status, response.headers['content-encoding']]).toEqual([200, encoding]);
    const again = await request(app)
      .get('/docs/assets/site.css')
      .set('Accept-Encoding', encoding)
      .set('If-None-Match', String(response.headers['etag']));
    expect(again.status).toBe(304);
  });

  it('answers an unknown address with a page for browsers and JSON otherwise', async () => {
    const page = await request(app).get('/docs/nothing').set('Accept', 'text/html,*/*;q=0.8');
    expect([page.status, page.type]).toEqual([404, 'text/html']);
    const json = await request(app).get('/docs/nothing');
    expect([json.status, json.body.error_code]).toEqual([404, 'not_found']);
  });

  const policyOf = async (path: string): Promise<string> =>
    String((await request(app).get(path)).headers['content-security-policy']);

  it('lets a page load nothing from elsewhere, and run only the scripts of the site', async () => {
    expect(await policyOf('/docs/quick-start')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  it('lets a reference also read the documents of the APIs, and add the two styles of Redoc', async () => {
    const policy = await policyOf('/docs/reference/tokens');
    expect(policy).toContain(
      'connect-src https://api.example.org https://auth.example.org https://search.example.org https://analytics.example.org;',
    );
    expect(policy.replace(/ connect-src [^;]*;/, '').replaceAll(/ 'sha256-[^']*'/g, '')).toBe(
      await policyOf('/docs/quick-start'),
    );
  });
});

describe('the API reference', () => {
  it.each(references)('of $name names the address of its OpenAPI document', ({ name, base, path }) => {
    expect(textOf(`/docs/reference/${name}`)).toContain(`data-document="${urls[base]}${path}"`);
  });

  it('has Redoc, which loads nothing from elsewhere, and the licences of its packages', () => {
    expect(textOf('/docs/assets/redoc.standalone.js')).not.toContain('cdn.redoc.ly');
    expect(textOf('/docs/assets/redoc.standalone.js.LICENSE.txt')).toMatch(/Rebilly[^]*Jason Miller[^]*Bram Stein/);
  });
});
