import { HttpError, unavailable } from '@tributary/service-kit';
import type { ErrorCode } from '@tributary/contracts';
import express from 'express';
import request from 'supertest';
import { Browser } from '../../../test/browser';
import { type ConnectedSystem, baseUrl, clientRedirect, connectUrl, followOne } from '../../../test/connect-flow';
import { personScene } from '../../../test/connection-scene';
import { jsonOrHtml } from './error-page';
import { type PageFacts, showIn } from './page-facts';

const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

interface Page {
  status: number;
  text: string;
  title: string;
  /** The links by their text. */
  links: Record<string, string>;
  headers: Record<string, string>;
}

function pageOf({ status, text, headers }: { status: number; text: string; headers: unknown }): Page {
  const plain = (markup: string): string =>
    markup.replaceAll(/<[^>]+>/g, '').replaceAll(/&#(\d+);/g, (_all, number) => String.fromCharCode(Number(number)));
  const links = [...text.matchAll(/<a(?: class="primary")? href="([^"]*)">(.*?)<\/a>/g)].map(
    ([, href = '', label = '']) => [plain(label), plain(href)],
  );
  const title = plain(/<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? '');
  return { status, text, title, links: Object.fromEntries(links), headers: headers as Record<string, string> };
}

describe('the error page', () => {
  /** The page for an error of a route about which these facts are known. */
  async function page(error: HttpError, facts: PageFacts = {}, headers = {}, route = 'begin'): Promise<Page> {
    const app = express().use((_request, response) => {
      response.locals['route'] = route === 'begin' ? '/connect/system/clinical/{health_system_id}' : route;
      response.locals['requestId'] = 'request-1';
      showIn(response)({});
      showIn(response)(facts);
      jsonOrHtml(error, response);
    });
    return pageOf(await request(app).get('/').set(html).set(headers));
  }
  const refused = (code: ErrorCode, headers?: Record<string, string>): HttpError => new HttpError(code, 'x', headers);

  it.each<[string, string, string | undefined]>([
    ['en', 'Your sign-in has ended', undefined],
    ['en', 'Your sign-in has ended', 'fr, de;q=0.5'],
    ['en', 'Your sign-in has ended', 'en-GB, es;q=0.8'],
    ['en', 'Your sign-in has ended', '*'],
    ['en', 'Your sign-in has ended', ',;q=x'],
    ['es', 'Su sesión ha terminado', 'es'],
    ['es', 'Su sesión ha terminado', 'es-MX,es;q=0.9,en;q=0.8'],
    ['es', 'Su sesión ha terminado', 'fr, es-419;q=0.5, en;q=0.1'],
    ['es', 'Su sesión ha terminado', 'en;q=0, es;q=0.1'],
  ])('is in the language %s: "%s" for the Accept-Language %s', async (language, title, accepted) => {
    const shown = await page(
      refused('invalid_token'),
      {},
      accepted === undefined ? {} : { 'Accept-Language': accepted },
    );
    expect([shown.title, shown.headers['content-language']]).toEqual([title, language]);
    expect(shown.text).toContain(`<html lang="${language}">`);
    expect(shown.text).toContain(`<title>${title}</title>`);
    expect(shown.headers['vary']).toBe('Accept, Accept-Language');
  });

  it('names the app and the health system without markup of their own', async () => {
    const facts = { appName: `<img src="x">'&{wait}{system}`, systemName: '</bdi><script>alert(1)</script>$&' };
    const { text } = await page(refused('unsupported_fhir_version'), facts);
    expect(text).not.toMatch(/<img|<script/);
    expect(text).toContain('<bdi>&#60;img src=&#34;x&#34;&#62;&#39;&#38;{wait}{system}</bdi>');
    expect(text).toContain('<bdi>&#60;/bdi&#62;&#60;script&#62;alert(1)&#60;/script&#62;$&#38;</bdi>');
  });

  it('has a link to the app where its address is known, and to itself where trying again can help', async () => {
    const facts = { appName: 'My app', appUrl: 'https://app.example/?a="&b' };
    const back = { 'Back to My app': 'https://app.example/?a="&b' };
    expect((await page(refused('invalid_token'), facts)).links).toEqual(back);
    expect((await page(unavailable('x'), facts)).links).toEqual({ 'Try again': '', ...back });
    expect((await page(refused('internal_error'))).links).toEqual({ 'Try again': '' });
    expect((await page(refused('internal_error'), {}, {}, '/connect/callback')).links).toEqual({ 'Try again': '' });
    expect((await page(refused('invalid_client'))).links).toEqual({});
    expect((await page(unavailable('x'), facts)).text.match(/class="primary" href="[^"]*"/g)).toEqual([
      'class="primary" href=""',
    ]);
  });

  it.each([
    ['1', 'en', '1 second'],
    ['60', 'en', '60 seconds'],
    ['61', 'en', '2 minutes'],
    ['3601', 'en', '2 hours'],
    ['150', 'es', '3 minutos'],
  ])('says for a Retry-After of %s in %s: wait %s', async (seconds, language, words) => {
    const error = refused('too_many_requests', { 'Retry-After': seconds });
    const { text, links } = await page(error, {}, { 'Accept-Language': language });
    expect(text).toMatch(new RegExp(`(Please wait|Espere) ${words}[, ]`));
    expect(Object.values(links)).toEqual(['']);
  });

  it('does not say that nothing was connected when the callback has failed', async () => {
    const { text } = await page(refused('internal_error'), {}, {}, '/connect/callback');
    expect(text).toContain('It is not certain whether the health system was connected.');
    expect(text).not.toContain('Nothing was');
  });

  it('has the code, the status and the request for support', async () => {
    const { text } = await page(refused('connection_not_found'));
    for (const value of ['connection_not_found', '404', 'request-1']) expect(text).toContain(`<code>${value}</code>`);
  });
});

describe('a browser that cannot connect', () => {
  const scene = personScene({ RATE_LIMITS: 'connect-user=3/3600' });
  const begun = async (): Promise<{ at: ConnectedSystem; browser: Browser; callback: string }> => {
    const at = await scene.open();
    const browser = new Browser(scene.service.app, baseUrl);
    const first = await browser.visit(connectUrl(scene.person, at.id));
    return { at, browser, callback: await followOne(first.headers['location'] as string) };
  };
  const open = async (url: string, browser = new Browser(scene.service.app, baseUrl)): Promise<Page> =>
    pageOf(await browser.visit(url, html));

  it('reads that the sign-in is finished when it opens the callback again after more than ten minutes', async () => {
    const { browser, callback } = await begun();
    const secret = new Map(browser.cookies);
    expect((await browser.visit(callback, html)).status).toBe(302);
    await scene.service.sql('UPDATE pending_authorization SET expires_at = now() WHERE service_user_id = $1', [
      scene.person.serviceUserId,
    ]);
    const again = await open(callback, browser);
    expect([again.status, again.title]).toEqual([400, 'This sign-in is finished already']);
    expect((await browser.visit(callback)).body).toMatchObject({ error: 'this authorization was used already' });
    // As a request that was sent before the response with the mark arrived.
    for (const [name, value] of secret) browser.cookies.set(name, value);
    const concurrent = await open(callback, browser);
    expect([concurrent.title, concurrent.text]).toEqual([
      'This sign-in is not open in this browser',
      expect.stringContaining('finished already'),
    ]);
  });

  it('reads that the sign-in is not open in another browser, and nothing about that session', async () => {
    const { browser, callback } = await begun();
    const other = new Browser(scene.service.app, baseUrl);
    const page = await open(callback, other);
    expect([page.status, page.title, page.links]).toEqual([400, 'This sign-in is not open in this browser', {}]);
    expect(page.text).not.toContain('<bdi>');
    expect((await browser.visit(callback, html)).status).toBe(302);
  });

  it('reads the same when the state is not kept any more', async () => {
    const { browser, callback } = await begun();
    await scene.service.sql('DELETE FROM pending_authorization WHERE service_user_id = $1', [
      scene.person.serviceUserId,
    ]);
    browser.cookies.clear();
    expect((await open(callback, browser)).title).toBe('This sign-in is not open in this browser');
  });

  it('reads that the link is incomplete when the callback has no state, or two', async () => {
    for (const query of ['', '?code=x', '?state=', '?state=a&state=b']) {
      const page = await open(`${baseUrl}/connect/callback${query}`);
      expect([query, page.status, page.title]).toEqual([query, 400, 'You came back with an incomplete link']);
    }
  });

  it('is led back to the registered address of the app only', async () => {
    const at = await scene.open();
    const outcome = `success=false&error=server_error&health_system_id=${at.id}`;
    const query = { redirect_uri: 'https://elsewhere.example/', state: 'a"&b' };
    const unregistered = await open(connectUrl(scene.person, at.id, query));
    expect(unregistered.title).toBe('We stopped to protect your record');
    expect(unregistered.links).toEqual({ 'Back to A client': `${clientRedirect}&${outcome}&state=a%22%26b` });
    expect(unregistered.text).not.toContain('elsewhere');
    const other = await open(connectUrl(scene.person, at.id, { redirect_uri: 'myapp://back', access_token: 'wrong' }));
    expect(other.title).toBe('Your sign-in has ended');
    expect(other.links).toEqual({ 'Back to A client': `myapp://back?${outcome}` });
    const unknown = await open(connectUrl(scene.person, at.id, { client_id: 'nobody' }));
    expect([unknown.title, unknown.links]).toEqual(['This app is not known here', {}]);
  });

  it('reads the name of the health system once the user is known', async () => {
    const at = await scene.open();
    const gone = await open(connectUrl(scene.person, at.id, { connection_id: '018f2c3e-0000-7000-8000-000000000000' }));
    expect(gone.title).toBe('This connection was not found');
    expect(gone.text).toContain('You wanted to renew a connection with <bdi>Lakeside Hospital</bdi>.');
    const stranger = await open(connectUrl(scene.person, at.id, { access_token: 'wrong' }));
    expect(stranger.text).not.toContain('Lakeside');
  });

  it('can try again after too many attempts, and while auth is away', async () => {
    const at = await scene.open();
    for (let visits = 0; visits < 3; visits++) await open(connectUrl(scene.person, at.id));
    const limited = await open(connectUrl(scene.person, at.id));
    expect([limited.status, limited.title]).toEqual([429, 'Too many attempts']);
    expect(Object.keys(limited.links)).toEqual(['Try again', 'Back to A client']);
    expect(limited.text).not.toContain(scene.person.token);
    scene.service.auth.isUnavailable = true;
    const away = await open(connectUrl(scene.person, at.id));
    scene.service.auth.isUnavailable = false;
    expect([away.status, away.title]).toEqual([503, 'Connecting is not possible at the moment']);
    expect(away.links).toEqual({ 'Try again': '' });
  });
});
