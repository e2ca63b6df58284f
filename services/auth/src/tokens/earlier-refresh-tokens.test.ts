import { createHash } from 'node:crypto';
import type { ClientWithSecret } from '../clients/client-applications';
import { AuthUnderTest, anyUser, credentials } from '../testing/auth-under-test';
import { newToken, tokenHash } from './opaque-token';

describe('refresh tokens from before families knew their current one', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client();
  });
  afterAll(() => auth.stop());

  /** A family as the version before left it: one spent token, one current, and an access token. */
  async function earlierFamily(): Promise<{ spent: string; current: string; access: string }> {
    const [spent, current, access] = [newToken(), newToken(), newToken()];
    await auth.pool.query(
      `WITH family AS (
         INSERT INTO token_family (client_id, service_user_id, scope, code_sha256, code_expires_at, code_spent_at, expires_at)
         VALUES ($1, $2, 'user', $3, now(), now(), now() + interval '30 days') RETURNING id
       ), spent AS (
         INSERT INTO refresh_token SELECT $4, id, now() + interval '29 days', now() FROM family
       ), current AS (
         INSERT INTO refresh_token SELECT $5, id, now() + interval '30 days', NULL FROM family
       )
       INSERT INTO access_token SELECT $6, id, now() + interval '2 hours' FROM family`,
      [
        client.client_id,
        anyUser(),
        createHash('sha256').update(access).digest(),
        tokenHash(spent),
        tokenHash(current),
        tokenHash(access),
      ],
    );
    return { spent, current, access };
  }
  const introspected = async (token: string): Promise<boolean> =>
    (await auth.post('/oauth2/introspect', { ...credentials(client), token })).body.active as boolean;

  it('give pairs of today, also when an answer was lost', async () => {
    const { current, access } = await earlierFamily();
    expect(await introspected(current)).toBe(true);
    const { body: lost } = await auth.refresh(client, current);
    expect(await introspected(current)).toBe(false);
    const { body: received } = await auth.refresh(client, current, 1);
    expect(
      await Promise.all([access, lost.access_token, received.access_token].map((one) => auth.isActive(one))),
    ).toEqual([true, false, true]);
    const next = await auth.refresh(client, received.refresh_token);
    expect(next.status).toBe(200);
    expect((await auth.refresh(client, current)).body.error).toBe('invalid_grant');
    expect(await auth.isActive(next.body.access_token)).toBe(false);
  });

  it('give one pair that works to all who come at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { current } = await earlierFamily();
      const answers = await Promise.all([0, 1, 0, 1].map((replica) => auth.refresh(client, current, replica)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const alive = await Promise.all(answers.map(({ body }) => auth.isActive(body.access_token)));
      expect(alive.filter(Boolean)).toHaveLength(1);
    }
  });

  it('revoke their family when a spent one comes again', async () => {
    const { spent, current, access } = await earlierFamily();
    expect(await introspected(spent)).toBe(false);
    expect((await auth.refresh(client, spent)).body.error).toBe('invalid_grant');
    expect(await auth.isActive(access)).toBe(false);
    expect((await auth.refresh(client, current)).body.error).toBe('invalid_grant');
  });

  it('are revoked with their family', async () => {
    for (const which of ['spent', 'current'] as const) {
      const family = await earlierFamily();
      expect((await auth.post('/oauth2/revoke', { ...credentials(client), token: family[which] })).status).toBe(200);
      expect(await auth.isActive(family.access)).toBe(false);
    }
  });
});
