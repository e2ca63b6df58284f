import { Browser } from '../../test/browser';
import { type ConnectedSystem, admin, baseUrl, connect, connectUrl, followOne } from '../../test/connect-flow';
import { personScene } from '../../test/connection-scene';

describe('the callback address of a registration', () => {
  const scene = personScene();
  const openWith = (callback: string): Promise<ConnectedSystem> =>
    scene.open(['r4'], ['--auth-method', 'none', '--callback', callback]);
  const begun = async (at: ConnectedSystem): Promise<{ browser: Browser; callback: string }> => {
    const browser = new Browser(scene.service.app, baseUrl);
    const first = await browser.visit(connectUrl(scene.person, at.id));
    return { browser, callback: await followOne(first.headers['location'] as string) };
  };

  it('is in the authorization request, and receives its response', async () => {
    const at = await openWith('lakeside.example');
    expect((await connect(scene.service, scene.person, at)).searchParams.get('success')).toBe('true');
    const redirectUri = `${baseUrl}/connect/callback/lakeside.example`;
    expect(at.system.authorizations[0]).toMatchObject({ redirect_uri: redirectUri });
    expect(at.system.tokenRequests[0]).toMatchObject({ redirect_uri: redirectUri });
  });

  // As when a malicious health system sends the browser on to another one, in our name (RFC 9700, section 4.4).
  it.each(['/other', '/Own', ''])('refuses a response that comes to /connect/callback%s', async (received) => {
    const at = await openWith('own');
    const { browser, callback } = await begun(at);
    const end = await browser.follow(callback.replace('/callback/own', `/callback${received}`), []);
    expect(Object.fromEntries(end.searchParams)).toMatchObject({ success: 'false', error: 'server_error' });
    expect(at.system.tokenRequests).toEqual([]);
    expect((await browser.visit(callback)).headers['location']).toBe(end.href);
    expect(at.system.tokenRequests).toEqual([]);
    expect(await scene.connections()).toEqual([]);
  });

  it('refuses a response to an own address when the registration has the shared one', async () => {
    const at = await scene.open();
    const { browser, callback } = await begun(at);
    const end = await browser.follow(callback.replace('/callback?', '/callback/other?callback=x&'), []);
    expect(end.searchParams.get('error')).toBe('server_error');
    expect(at.system.tokenRequests).toEqual([]);
  });

  it('is shown by the commands, kept when the registration is replaced, and refused when it is no name', async () => {
    const at = await openWith('own');
    const host = new URL(at.system.url).host;
    const set = (...words: string[]): Promise<string> =>
      admin(
        scene.service,
        'registration',
        'set',
        '--host',
        host,
        '--client-id',
        'x',
        '--auth-method',
        'none',
        ...words,
      );
    const redirectUri = `${baseUrl}/connect/callback/own`;
    expect(await set()).toBe(`registered as x at ${host}, with the redirect_uri ${redirectUri}`);
    const list = async (): Promise<unknown> => JSON.parse(await admin(scene.service, 'registration', 'list', '--json'));
    expect(await list()).toMatchObject({
      entry: expect.arrayContaining([expect.objectContaining({ host, redirect_uri: redirectUri })]),
    });
    expect(await set('--callback', '')).toContain(`with the redirect_uri ${baseUrl}/connect/callback`);
    expect(await list()).toMatchObject({
      entry: expect.arrayContaining([expect.objectContaining({ host, redirect_uri: `${baseUrl}/connect/callback` })]),
    });
    for (const name of ['a/b', '../x', 'a?b', 'x'.repeat(65)])
      await expect(set('--callback', name)).rejects.toThrow(/It must have up to 64 letters/);
  });

  it('is checked without a user by `registration test`', async () => {
    const at = await openWith('own');
    const output = await admin(scene.service, 'registration', 'test', `${at.system.url}/fhir/r4`);
    expect(output).toContain(`with the redirect_uri ${baseUrl}/connect/callback/own`);
  });

  it.each([
    ['a host of the request', (at: ConnectedSystem) => at.system.url, 'true'],
    ['another host', () => 'https://honest.example/auth', 'false'],
    ['none', () => 'not a URL', 'false'],
  ])('takes an issuer at %s where the metadata names none: success=%s', async (_what, issuer, success) => {
    const at = await scene.open();
    at.system.behaviour.authorizationResponse = { iss: issuer(at) };
    const end = await connect(scene.service, scene.person, at);
    expect(end.searchParams.get('success')).toBe(success);
    expect(at.system.tokenRequests).toHaveLength(success === 'true' ? 1 : 0);
  });
});
