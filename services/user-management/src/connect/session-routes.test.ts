import { randomBytes } from 'node:crypto';
import type { BegunConnectSession } from '@tributary/contracts';
import request, { type Response } from 'supertest';
import { Browser } from '../../test/browser';
import { baseUrl } from '../../test/connect-flow';
import { personScene, workerCredentials } from '../../test/connection-scene';
import { credentialsOf } from '../../test/running-service';

const userLimit = 2;

describe('a connect session of the connect pages', () => {
  const scene = personScene({ RATE_LIMITS: `connect-user=${userLimit}/3600` });
  const post = (body: object, authorization = credentialsOf('console')): Promise<Response> =>
    request(scene.service.internal)
      .post('/internal/v1/connect-sessions')
      .set('Authorization', authorization)
      .send({
        client_id: scene.person.clientId,
        service_user_id: scene.person.serviceUserId,
        confirm_person: false,
        return_path: '/connect/pages/abc/return',
        ...body,
      })
      .then();

  /** The browser in which the session goes on, as the pages pass it the cookies. */
  function browserOf({ cookies }: BegunConnectSession): Browser {
    const browser = new Browser(scene.service.app, baseUrl);
    for (const line of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      browser.cookies.set(name, value);
    }
    return browser;
  }

  it('ends on the connect pages, in the browser that has its cookies', async () => {
    const at = await scene.open();
    const { status, body } = await post({ health_system_id: at.id });
    expect(status).toBe(200);
    const begun = body as BegunConnectSession;
    const callback = await new Browser(scene.service.app, baseUrl)
      .follow(begun.location, [at.system.url])
      .catch((error: unknown) => String(error));
    expect(callback).toContain('the redirects ended at');

    const again = (await post({ health_system_id: at.id })).body as BegunConnectSession;
    const browser = browserOf(again);
    let location = again.location;
    while (!location.startsWith(`${baseUrl}/connect/pages/`))
      location = location.startsWith(baseUrl)
        ? String((await browser.visit(location)).headers['location'])
        : String((await fetch(location, { redirect: 'manual' })).headers.get('location'));
    const end = new URL(location);
    expect(end.pathname).toBe('/connect/pages/abc/return');
    expect(Object.fromEntries(end.searchParams)).toEqual({
      success: 'true',
      connection_id: (await scene.connections())[0]?.connection_id,
      health_system_id: String(at.id),
    });
    expect((await post({ health_system_id: at.id })).status).toBe(429);
  });

  it('does not store the logo of the client', async () => {
    const { id } = await scene.open();
    const client = scene.service.auth.clients.get(scene.person.clientId);
    Object.assign(client!, { logo: `data:image/png;base64,${randomBytes(65_536).toString('base64')}` });
    expect((await post({ health_system_id: id })).status).toBe(200);
    const [stored] = await scene.service.sql(
      'SELECT octet_length(contents_sealed) < 10000 AS "isShort" FROM pending_authorization WHERE service_user_id = $1',
      [scene.person.serviceUserId],
    );
    expect(stored).toEqual({ isShort: true });
  });

  describe('after a link to the pages', () => {
    const endLink = (body: object, authorization = credentialsOf('console')): Promise<Response> =>
      request(scene.service.internal)
        .post('/internal/v1/connect-links/end')
        .set('Authorization', authorization)
        .send(body)
        .then();

    /** Opens a link in a browser. @returns what the pages know of it */
    async function opened(more: object): Promise<{ link: string; browser_secret: string }> {
      const { clientHeaders, serviceUserId: service_user_id } = scene.person;
      const created = await request(scene.service.app)
        .post('/connect/v1/links')
        .set(clientHeaders)
        .send({ service_user_id, ...more });
      const { url } = created.body as { url: string };
      const browser = new Browser(scene.service.app, baseUrl);
      await browser.visit(url);
      return { link: url.split('/').at(-1)!, browser_secret: [...browser.cookies.values()][0]! };
    }

    it('gets a token of the user, once', async () => {
      const { clientId, serviceUserId } = scene.person;
      const link = await opened({ account_name: 'noah', state: 's', redirect_uri: 'myapp://back' });
      expect((await endLink({ ...link, browser_secret: 'another' })).status).toBe(410);
      expect((await endLink(link, workerCredentials)).status).toBe(403);
      const { status, body } = await endLink(link);
      expect([status, body]).toEqual([
        200,
        {
          client_id: clientId,
          access_token: expect.any(String),
          account_name: 'noah',
          redirect_uri: 'myapp://back',
          state: 's',
        },
      ]);
      const { access_token } = body as { access_token: string };
      expect(scene.service.auth.tokens.get(access_token)).toMatchObject({ service_user_id: serviceUserId });
      expect((await endLink(link)).body).toMatchObject({ error_code: 'connect_link_ended' });
    });

    it('gets none of a link to a health system, and none for a user who is not active', async () => {
      const { id } = await scene.open();
      expect((await endLink(await opened({ health_system_id: id }))).status).toBe(410);
      const link = await opened({});
      // While auth issues the token.
      scene.service.auth.beforeCode = async () => {
        scene.service.auth.beforeCode = () => Promise.resolve();
        await request(scene.service.app)
          .put('/user-management/v1/user')
          .set(scene.person.clientHeaders)
          .send({ service_user_id: scene.person.serviceUserId, active: false })
          .expect(200);
      };
      const { status, body } = await endLink(link);
      expect([status, body]).toMatchObject([403, { error_code: 'user_inactive' }]);
    });
  });

  it('is begun by the connect pages only, and ends on them only', async () => {
    const { id } = await scene.open();
    expect((await post({ health_system_id: id }, workerCredentials)).status).toBe(403);
    for (const return_path of ['https://elsewhere.example/', '/connect/pages/../return', '/connect/pages/a/return?x'])
      expect((await post({ health_system_id: id, return_path })).status).toBe(400);
  });

  it('is refused for an unknown health system, and for a user who is not active', async () => {
    const { id } = await scene.open();
    const unknown = await post({ health_system_id: 999_999 });
    expect([unknown.status, unknown.body.error_code]).toEqual([404, 'health_system_not_found']);
    const other = await post({ health_system_id: id, connection_id: '5b1f6f62-7a0e-4f6f-9d0c-0e1d5b1f6f62' });
    expect([other.status, other.body.error_code]).toEqual([404, 'connection_not_found']);
    await scene.service.sql(`UPDATE service_user SET state = 'inactive' WHERE service_user_id = $1`, [
      scene.person.serviceUserId,
    ]);
    const inactive = await post({ health_system_id: id });
    expect([inactive.status, inactive.body.error_code]).toEqual([403, 'user_inactive']);
  });
});
