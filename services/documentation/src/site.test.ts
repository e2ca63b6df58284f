import { createLog } from '@tributary/service-kit';
import request from 'supertest';
import { documentationApp } from './app';
import { factPages, guides, references } from './contents';
import { buildSite } from './site';

const urls = {
  base_url: 'https://api.example.org',
  auth_url: 'https://auth.example.org',
  search_url: 'https://search.example.org',
  analytics_url: 'https://analytics.example.org',
};
const files = buildSite(urls);
const app = documentationApp({ files, urls, log: createLog('documentation', 'silent') });

function textOf(path: string): string {
  const file = files.get(path);
  if (!file) throw new Error(`there is no ${path}`);
  return file.bytes.identity.toString();
}

const documents = [...files.keys()].filter((path) => files.get(path)?.type.startsWith('text/html'));

describe('the site', () => {
  it('has every page that the navigation names', () => {
    for (const { name } of [...guides, ...factPages]) expect(documents).toContain(`/docs/${name}`);
    for (const { name } of references) expect(documents).toContain(`/docs/reference/${name}`);
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
    for (const path of documents) expect(textOf(path)).not.toMatch(/localhost:400[0-3]/);
  });

  it('draws every diagram', () => {
    expect(textOf('/docs/api')).toContain('<svg');
    for (const path of documents) expect(textOf(path)).not.toMatch(/stateDiagram|sequenceDiagram|flowchart/);
  });

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
    const response = await request(app).get('/docs/assets/redoc.js').set('Accept-Encoding', encoding);
    expect([response.status, response.headers['content-encoding']]).toEqual([200, encoding]);
    const again = await request(app)
      .get('/docs/assets/redoc.js')
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

  it('allows the API reference to fetch the OpenAPI documents, and other pages nothing from elsewhere', async () => {
    const [reference, guide] = [
      await request(app).get('/docs/reference/tokens'),
      await request(app).get('/docs/quick-start'),
    ];
    expect(reference.headers['content-security-policy']).toContain(
      "connect-src 'self' https://api.example.org https://auth.example.org",
    );
    expect(guide.headers['content-security-policy']).toContain("connect-src 'self';");
  });
});
