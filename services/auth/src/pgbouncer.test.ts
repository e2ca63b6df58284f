import { databaseConfig } from '@tributary/service-kit';
import { createDatabase, createRole, hasPgBouncer, startPgBouncer } from '@tributary/test-environment';
import { authSchema } from './database/auth-database';
import { AuthUnderTest, anyUser, credentials } from '../test/auth-under-test';

const test = hasPgBouncer ? it : it.skip;

describe(
  hasPgBouncer
    ? 'behind a connection pooler'
    : 'behind a connection pooler (skipped: /usr/sbin/pgbouncer is not installed)',
  () => {
    test('auth works through PgBouncer in transaction mode with many more clients than server connections', async () => {
      const database = await createDatabase();
      const role = await createRole(database, authSchema);
      const bouncer = await startPgBouncer(role.url, 2);
      const auth = await AuthUnderTest.start({
        database: databaseConfig.parse({
          DATABASE_URL: bouncer.url,
          DATABASE_POOLER: 'transaction',
          DATABASE_POOL_SIZE: 10,
        }),
      });
      try {
        const client = await auth.client();
        await Promise.all(
          Array.from({ length: 20 }, async (_x, n) => {
            const user = anyUser();
            const first = await auth.tokens(client, user);
            const answers = [
              await auth.refresh(client, first.refresh_token, n % 2),
              await auth.refresh(client, first.refresh_token),
            ];
            expect(answers.map(({ status }) => status)).toEqual([200, 200]);
            expect(await auth.isActive(answers[0]!.body.access_token)).toBe(false);
            expect(await auth.isActive(answers[1]!.body.access_token)).toBe(true);
            expect(
              (await auth.post('/oauth2/revoke', { ...credentials(client), token: answers[1]!.body.refresh_token }))
                .status,
            ).toBe(200);
            expect(await auth.isActive(first.access_token)).toBe(false);
            expect((await auth.internal('delete', `/internal/v1/users/${user}/tokens`)).status).toBe(204);
          }),
        );
      } finally {
        await auth.stop();
        await bouncer.stop();
        await database.drop();
        await role.drop();
      }
    });
  },
);
