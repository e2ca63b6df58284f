import { Browser } from '../../test/browser';
import { type ConnectedSystem, baseUrl, clientRedirect, connectUrl } from '../../test/connect-flow';
import { personScene } from '../../test/connection-scene';

describe('connect responds with an error to', () => {
  const scene = personScene();
  const { open } = scene;
  const visit = async (
    url: string,
    accept?: string,
  ): Promise<{ status: number; body: Record<string, unknown>; text: string; headers: Record<string, string> }> => {
    const response = await new Browser(scene.service.app, baseUrl).visit(url, accept ? { Accept: accept } : {});
    return {
      status: response.status,
      body: response.body as Record<string, unknown>,
      text: response.text,
      headers: response.headers as Record<string, string>,
    };
  };

  const challenges: Record<string, RegExp> = {
    invalid_client: /^Bearer realm="tributary"$/,
    invalid_token: /^Bearer realm="tributary", error="invalid_token"/,
    insufficient_scope: /^Bearer realm="tributary", error="insufficient_scope", scope="patient\/\*\.cruds"/,
  };

  it.each<[string, number, string, (at: ConnectedSystem) => string]>([
    ['an unknown client', 401, 'invalid_client', ({ id }) => connectUrl(scene.person, id, { client_id: 'nobody' })],
    [
      'a client_id that means another address',
      401,
      'invalid_client',
      ({ id }) => connectUrl(scene.person, id, { client_id: '..' }),
    ],
    [
      'a client_id that is too long',
      401,
      'invalid_client',
      ({ id }) => connectUrl(scene.person, id, { client_id: 'x'.repeat(129) }),
    ],
    [
      'a token that is not good',
      401,
      'invalid_token',
      ({ id }) => connectUrl(scene.person, id, { access_token: 'x'.repeat(43) }),
    ],
    [
      'a token of another client',
      401,
      'invalid_token',
      ({ id }) =>
        connectUrl(scene.person, id, {
          access_token: scene.service.auth.addToken(
            scene.service.auth.addClient().client_id,
            scene.person.serviceUserId,
          ),
        }),
    ],
    [
      'a token of the client itself',
      401,
      'invalid_token',
      ({ id }) => connectUrl(scene.person, id, { access_token: scene.service.auth.addToken(scene.person.clientId) }),
    ],
    [
      'a token of a user who is gone',
      401,
      'invalid_token',
      ({ id }) =>
        connectUrl(scene.person, id, { access_token: scene.service.auth.addToken(scene.person.clientId, 99_999_999) }),
    ],
    [
      'a token that only reads',
      403,
      'insufficient_scope',
      ({ id }) => {
        const { clientId, serviceUserId } = scene.person;
        return connectUrl(scene.person, id, {
          access_token: scene.service.auth.addToken(clientId, serviceUserId, 'patient/*.rs'),
        });
      },
    ],
    [
      'a missing token',
      400,
      'invalid_request',
      ({ id }) => `${baseUrl}/connect/system/clinical/${id}?client_id=${scene.person.clientId}`,
    ],
    [
      'a missing client',
      400,
      'invalid_request',
      ({ id }) => `${baseUrl}/connect/system/clinical/${id}?access_token=${scene.person.token}`,
    ],
    ['an unknown health system', 404, 'health_system_not_found', () => connectUrl(scene.person, 987_654)],
    [
      'no health system',
      400,
      'invalid_request',
      () => `${baseUrl}/connect/system/clinical/abc?client_id=a&access_token=b`,
    ],
    [
      'an unsupported release',
      400,
      'unsupported_fhir_version',
      ({ id }) => connectUrl(scene.person, id, { fhirVersion: 'dstu2' }),
    ],
    ['an unknown release', 400, 'invalid_request', ({ id }) => connectUrl(scene.person, id, { fhirVersion: 'r5' })],
    [
      'a redirect_uri that is not registered',
      400,
      'invalid_redirect_uri',
      ({ id }) => connectUrl(scene.person, id, { redirect_uri: `${clientRedirect}x` }),
    ],
    ['two clients', 400, 'invalid_request', ({ id }) => `${connectUrl(scene.person, id)}&client_id=other`],
  ])('%s', async (_what, status, code, urlOf) => {
    const url = urlOf(await open());
    const json = await visit(url);
    expect([json.status, json.body]).toEqual([status, { success: false, error: expect.any(String), error_code: code }]);
    expect(json.headers['referrer-policy']).toBe('no-referrer');
    expect(json.headers['www-authenticate'] ?? 'none').toMatch(challenges[code] ?? /^none$/);
    const page = await visit(url, 'text/html,application/xhtml+xml,*/*;q=0.8');
    expect(page.status).toBe(status);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page.text).toContain('<html lang="en">');
    expect(page.text).toMatch(/<h1>[A-Z][^<]+<\/h1>(<p>[A-Z](?:[^<]|<\/?bdi>)+\.<\/p>){3}/);
    expect(page.text).toContain(`<code>${code}</code>`);
    expect(page.text).toContain(`<code>${page.headers['x-request-id']}</code>`);
    expect(page.text).not.toContain(scene.person.token);
    expect(page.text).not.toMatch(/invalid option|expected|<script|undefined/i);
  });

  it('an address below /connect that does not exist', async () => {
    for (const path of ['/connect', '/connect/', '/connect/system/clinical', '/connect/system/clinical/1/x']) {
      const json = await visit(`${baseUrl}${path}`);
      expect([path, json.status, json.body['error_code']]).toEqual([path, 404, 'not_found']);
      const page = await visit(`${baseUrl}${path}`, 'text/html,application/xhtml+xml,*/*;q=0.8');
      expect([path, page.status, page.headers['vary']]).toEqual([path, 404, expect.stringContaining('Accept')]);
      expect(page.text).toContain('<h1>There is no page here</h1>');
      expect(page.text).toContain(`<code>${page.headers['x-request-id']}</code>`);
    }
    const elsewhere = await visit(`${baseUrl}/user-management/v1/nothing`, 'text/html');
    expect([elsewhere.status, elsewhere.body['error_code']]).toEqual([404, 'not_found']);
  });

  it('an inactive user', async () => {
    const at = await open();
    await scene.service.sql(`UPDATE service_user SET state = 'inactive' WHERE service_user_id = $1`, [
      scene.person.serviceUserId,
    ]);
    expect((await visit(connectUrl(scene.person, at.id))).status).toBe(401);
  });

  it('a callback without a pending authorization', async () => {
    for (const query of ['', '?state=x', `?state=${'x'.repeat(43)}&code=abc`]) {
      const response = await visit(`${baseUrl}/connect/callback${query}`);
      expect([response.status, response.body['error_code']]).toEqual([400, 'invalid_state']);
    }
  });
});
