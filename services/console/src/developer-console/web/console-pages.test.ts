import { createLog, textFile } from '@tributary/service-kit';
import express, { type Express } from 'express';
import request from 'supertest';
import type { WebAssets } from '../../web-assets';
import { consolePages } from './console-pages';

const urls = {
  base_url: 'https://api.example.org/tributary',
  auth_url: 'https://auth.example.org',
  search_url: 'https://search.example.org',
  analytics_url: 'https://analytics.example.org',
};

const log = createLog('console', 'silent');

async function assets(): Promise<WebAssets> {
  const files = new Map([['main-1.js', await textFile('text/javascript', 'run();')]]);
  return { files, script: 'main-1.js', styles: 'style-1.css' };
}

async function app(): Promise<Express> {
  return express()
    .use(consolePages({ web: await assets(), urls, log }))
    .use((_, response) => void response.send('passed on'));
}

describe('consolePages', () => {
  it.each(['/console', '/console/', '/console/sign-in', '/console/organisations/1/clients/a.b/users?offset=50'])(
    'sends the document at %s',
    async (path) => {
      const { status, text, headers } = await request(await app()).get(path);
      expect(status).toBe(200);
      expect(text).toContain('src="/tributary/console/assets/main-1.js"');
      expect(text).toContain(JSON.stringify({ root: '/tributary/console', urls }));
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['x-frame-options']).toBe('DENY');
    },
  );

  it('tells where the mail of a sandbox is read', async () => {
    const site = express().use(consolePages({ web: await assets(), urls, mailUrl: 'http://localhost:4005', log }));
    expect((await request(site).get('/console')).text).toContain('"mail_url":"http://localhost:4005"');
  });

  it('lets the document run its own scripts only, and no page show it in a frame', async () => {
    const site = await app();
    const [first, second] = await Promise.all([request(site).get('/console'), request(site).get('/console')]);
    const policy = first.headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    const nonce = /'nonce-([\w-]{22})'/.exec(policy)?.[1];
    expect(first.text).toContain(`<meta property="csp-nonce" nonce="${nonce}">`);
    expect(second.headers['content-security-policy']).not.toBe(policy);
  });

  it('shows the theme that was chosen', async () => {
    const site = await app();
    const themed = (cookie: string) => request(site).get('/console').set('Cookie', cookie);
    expect((await themed('a=b; console-theme=dark')).text).toContain('<html lang="en" data-theme="dark">');
    expect((await themed('console-theme=other')).text).toContain('<html lang="en">');
  });

  it('sends assets for a year, and 404 for others', async () => {
    const site = await app();
    const { text, headers } = await request(site).get('/console/assets/main-1.js');
    expect(text).toBe('run();');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await request(site).get('/console/assets/main-2.js')).status).toBe(404);
  });

  it.each(['/console/api/v1/account', '/console/openapi.json', '/connect', '/consoles'])(
    'passes %s on',
    async (path) => {
      expect((await request(await app()).get(path)).text).toBe('passed on');
    },
  );
});
