import express from 'express';
import { OutboundRequestFailed } from '@tributary/outbound';
import { type TestServer, listen } from '../../test/http-server';
import { OutboundHttp } from './outbound-http';

describe('outbound requests', () => {
  let server: TestServer;
  let hits: string[];
  let agents: (string | undefined)[];
  beforeEach(async () => {
    hits = [];
    agents = [];
    const app = express();
    app.use((request, _response, next) => {
      hits.push(`${request.method} ${request.path}`);
      agents.push(request.headers['user-agent']);
      next();
    });
    app.get('/loop', (_request, response) => response.redirect('/loop'));
    app.get('/one', (_request, response) => response.redirect(302, 'end'));
    app.get('/end', (_request, response) => void response.send('there'));
    app.post('/moved', (_request, response) => response.redirect(307, '/end'));
    app.get('/slow', () => undefined);
    app.get('/huge', (_request, response) => {
      const chunk = 'x'.repeat(1024 * 1024);
      for (let i = 0; i < 20; i++) response.write(chunk);
      response.end();
    });
    server = await listen(app);
  });
  afterEach(() => server.close());

  const open = new OutboundHttp({ allowPrivateAddresses: true, timeoutMs: 300_000 });
  const strict = new OutboundHttp({ allowPrivateAddresses: false, timeoutMs: 300_000 });

  it('follow a few redirects, but not with a form', async () => {
    expect(await open.get(`${server.url}/one`, '*/*')).toMatchObject({ status: 200, text: 'there' });
    await expect(open.get(`${server.url}/loop`, '*/*')).rejects.toThrow('too many redirects');
    hits = [];
    expect((await open.postForm(`${server.url}/moved`, { secret: 'x' }, {})).status).toBe(307);
    expect(hits).toEqual(['POST /moved']);
  });

  it('send the User-Agent of the worker', async () => {
    await open.get(`${server.url}/end`, '*/*');
    await open.postForm(`${server.url}/moved`, {}, {});
    await open.postJson(`${server.url}/moved`, '{}', {});
    expect(agents).toEqual(['Tributary', 'Tributary', 'Tributary']);
  });

  it('are limited in time and size', async () => {
    const hasty = new OutboundHttp({ allowPrivateAddresses: true, timeoutMs: 100 });
    await expect(hasty.get(`${server.url}/slow`, '*/*')).rejects.toThrow('ETIMEDOUT');
    await expect(open.get(`${server.url}/huge`, '*/*')).rejects.toThrow(OutboundRequestFailed);
  });

  it('do not reach private addresses outside the sandbox mode, by number or by name', async () => {
    const port = new URL(server.url).port;
    for (const url of [server.url, `https://127.0.0.1:${port}`, `https://localhost:${port}`]) {
      await expect(strict.get(`${url}/end`, '*/*')).rejects.toThrow('refused');
      await expect(strict.postForm(`${url}/end`, {}, {})).rejects.toThrow('refused');
      await expect(strict.assertSafeUrl(`${url}/end`)).rejects.toThrow('refused');
    }
    expect(hits).toEqual([]);
  });

  it('allow no browser to be sent to other schemes than http(s)', async () => {
    await expect(open.assertSafeUrl('javascript:alert(1)')).rejects.toThrow('not an http(s) URL');
    await expect(open.assertSafeUrl('nowhere')).rejects.toThrow(OutboundRequestFailed);
  });

  it('name no URL in an error', async () => {
    await expect(open.get('http://127.0.0.1:1/?code=hush', '*/*')).rejects.not.toThrow(/hush/);
  });
});
