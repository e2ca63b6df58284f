import express from 'express';
import { type Listening, listen } from '../stand-ins/listening';
import { NoAnswer, OutboundHttp } from './outbound-http';
import { isPublicAddress, lookupPublicly, refuseUnsafeUrl } from './public-address';

describe('public addresses', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111'])('%s is one', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    '127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1',
    '::1', '::', 'fe80::1', 'fd00::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', 'not an address',
  ])('%s is none', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['http://example.org/', 'https://127.0.0.1/', 'https://[::1]/', 'https://0x7f.1/', 'https://2130706433/', 'https://a:b@example.org/', 'ftp://example.org/', 'https://[::ffff:10.0.0.1]/'])('%s must not be called', (url) =>
    expect(() => refuseUnsafeUrl(new URL(url))).toThrow('refused'),
  );

  it('are checked on what a name leads to', async () => {
    const refusal = await new Promise<Error | null>((resolve) => lookupPublicly('localhost', {}, (error) => resolve(error)));
    expect(refusal?.message).toContain('does not lead to a public address');
  });
});

describe('calls to health systems', () => {
  let server: Listening;
  let hits: string[];
  beforeEach(async () => {
    hits = [];
    const app = express();
    app.use((request, _response, next) => {
      hits.push(`${request.method} ${request.path}`);
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

  const open = new OutboundHttp({ anyAddress: true, timeoutMs: 500 });
  const strict = new OutboundHttp({ anyAddress: false, timeoutMs: 500 });

  it('follow a few redirects, but not with a form', async () => {
    expect(await open.get(`${server.url}/one`, '*/*')).toMatchObject({ status: 200, text: 'there' });
    await expect(open.get(`${server.url}/loop`, '*/*')).rejects.toThrow('too many redirects');
    hits = [];
    expect((await open.postForm(`${server.url}/moved`, { secret: 'x' }, {})).status).toBe(307);
    expect(hits).toEqual(['POST /moved']);
  });

  it('end after their time, and at their size', async () => {
    await expect(open.get(`${server.url}/slow`, '*/*')).rejects.toThrow(NoAnswer);
    await expect(open.get(`${server.url}/huge`, '*/*')).rejects.toThrow(NoAnswer);
  });

  it('do not reach inner addresses outside the sandbox mode, by number or by name', async () => {
    const port = new URL(server.url).port;
    for (const url of [server.url, `https://127.0.0.1:${port}`, `https://localhost:${port}`]) {
      await expect(strict.get(`${url}/end`, '*/*')).rejects.toThrow('refused');
      await expect(strict.postForm(`${url}/end`, {}, {})).rejects.toThrow('refused');
      await expect(strict.refuseUnsafe(`${url}/end`)).rejects.toThrow('refused');
    }
    expect(hits).toEqual([]);
  });

  it('send no browser to what is no web address', async () => {
    await expect(open.refuseUnsafe('javascript:alert(1)')).rejects.toThrow('not a web address');
    await expect(open.refuseUnsafe('nowhere')).rejects.toThrow(NoAnswer);
  });

  it('tell nothing of the address in an error', async () => {
    await expect(open.get('http://127.0.0.1:1/?code=hush', '*/*')).rejects.not.toThrow(/hush/);
  });
});
