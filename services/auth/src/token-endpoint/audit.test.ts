import { auditEventSchema } from '@tributary/audit-log';
import { AuthUnderTest, anyUser, callingService } from '../../test/auth-under-test';

let auth: AuthUnderTest;
beforeAll(async () => {
  auth = await AuthUnderTest.start();
});
afterAll(() => auth.stop());

it('records codes, tokens, refusals and revocations, without the secrets themselves', async () => {
  const { events, refused } = auth.audit;
  const client = await auth.client();
  const user = anyUser();
  const credentials = { client_id: client.client_id, client_secret: client.client_secret };
  const refresh = (token: string) =>
    auth.post('/oauth2/token', { ...credentials, grant_type: 'refresh_token', refresh_token: token });

  const code = await auth.code(client, user);
  const first = (await auth.exchange(client, code).expect(200)).body as Record<string, string>;
  const second = (await refresh(first['refresh_token']!).expect(200)).body as Record<string, string>;
  await auth.post('/oauth2/introspect', { ...credentials, token: second['access_token']! }).expect(200);
  await auth.post('/oauth2/introspect', { ...credentials, token: 'unknown' }).expect(200);
  await auth.post('/oauth2/revoke', { ...credentials, token: second['access_token']! }).expect(200);
  await refresh('unknown').expect(400);
  await auth
    .post('/oauth2/token', { ...credentials, client_secret: 'wrong', grant_type: 'authorization_code', code })
    .expect(401);
  await auth.internal('delete', `/internal/v1/users/${user}/tokens`).expect(204);

  const agent = { clientId: client.client_id };
  const service = { service: callingService.name };
  const issued = { kind: 'token.issued', action: 'E', agent, address: expect.stringContaining('127.0.0.1') as string };
  expect(events).toEqual(
    [
      { kind: 'code.issued', outcome: 'success', agent: { ...service, ...agent }, subject: user },
      { ...issued, outcome: 'success', status: 200, subject: user, entities: [{ type: 'authorization_code' }] },
      { ...issued, outcome: 'success', status: 200, subject: user, entities: [{ type: 'refresh_token' }] },
      { kind: 'token.introspected', action: 'R', outcome: 'success', agent, subject: user },
      { kind: 'token.introspected', action: 'R', outcome: 'success', agent },
      { kind: 'token.revoked', action: 'D', outcome: 'success', agent },
      { ...issued, outcome: 'refused', status: 400, errorCode: 'invalid_grant', entities: [{ type: 'refresh_token' }] },
      { kind: 'token.revoked', action: 'D', outcome: 'success', status: 204, agent: service, subject: user },
    ].map((event) => expect.objectContaining(event)),
  );
  expect(refused).toEqual([
    expect.objectContaining({ kind: 'token.refused', status: 401, errorCode: 'invalid_client', agent }),
  ]);
  const text = JSON.stringify([events, refused]);
  for (const secret of [client.client_secret, code, ...Object.values(first), ...Object.values(second)])
    if (typeof secret === 'string' && secret.length > 10) expect(text).not.toContain(secret);
  for (const event of events) auditEventSchema.parse({ at: 0, ...event });
});
