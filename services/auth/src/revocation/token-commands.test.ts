import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type TokenRevocation, tokenRevocation, tokenRevocationChannel } from '@tributary/contracts';
import { testRedis, waitUntil } from '@tributary/test-environment';
import { Redis } from 'ioredis';
import { Command } from 'commander';
import { AuthUnderTest, anyUser } from '../../test/auth-under-test';
import { clientOfUser } from './revoke-by-operator';
import { type TokenCommandContext, addTokenCommands } from './token-commands';

/** Runs a command in this process, and resolves with what it prints: without a database and a client unless given. */
async function runHere(words: string[], context: Partial<TokenCommandContext> = {}): Promise<string> {
  let printed = '';
  const print = (text: string): void => void (printed += text);
  const program = new Command();
  addTokenCommands(program, {
    recordSubjects: () => Promise.resolve(),
    clientOf: () => Promise.resolve(undefined),
    revoke: () => Promise.resolve(undefined),
    print,
    ...context,
  });
  for (const each of program.commands.flatMap((one) => one.commands))
    each.exitOverride().configureOutput({ writeOut: print, writeErr: print });
  await program.parseAsync(['token', 'revoke', ...words], { from: 'user' }).catch((error: Error) => {
    throw new Error(printed, { cause: error });
  });
  return printed;
}

describe('token revoke', () => {
  let auth: AuthUnderTest;
  let subscriber: Redis;
  const received: TokenRevocation[] = [];
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    subscriber = new Redis(testRedis().url);
    await subscriber.subscribe(tokenRevocationChannel);
    subscriber.on('message', (_channel, message: string) => received.push(tokenRevocation.parse(JSON.parse(message))));
  });
  afterAll(async () => {
    subscriber.disconnect();
    await auth.stop();
  });

  const run = (...words: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [join(__dirname, '..', '..', 'dist', 'admin.js'), 'token', 'revoke', ...words], {
      env: { PATH: process.env['PATH'], DATABASE_URL: auth.databaseUrl, SANDBOX_MODE: 'true' },
      encoding: 'utf8',
    });
  const revoked = (...words: string[]): unknown => JSON.parse(run(...words, '--json').stdout);

  /** Waits until the replicas have published a revocation from the outbox. */
  function isPublished(matches: (revocation: TokenRevocation) => boolean): Promise<true> {
    return waitUntil(() => received.some(matches));
  }

  it('--user ends the codes and tokens of the user, and of no other', async () => {
    const [client, user] = [await auth.client(), anyUser()];
    const code = await auth.code(client, user);
    const [tokens, others] = [await auth.tokens(client, user), await auth.tokens(client)];
    expect(revoked('--user', String(user))).toEqual({
      authorization_codes: 1,
      refresh_tokens: 1,
      system_access_tokens: 0,
    });
    expect([await auth.isActive(tokens.access_token), await auth.isActive(others.access_token)]).toEqual([false, true]);
    expect((await auth.exchange(client, code)).body.error).toBe('invalid_grant');
    expect((await auth.refresh(client, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect(await isPublished((one) => 'service_user_id' in one && one.service_user_id === user)).toBe(true);
    expect(run('--user', String(user))).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/\nThere was nothing to revoke\.\n$/),
      stderr: '',
    });
  });

  it('--client ends those of all its users and its own, in more than one transaction, and of no other client', async () => {
    const [client, other] = [await auth.client(), await auth.client('Other')];
    const [tokens, others] = [await auth.tokens(client), await auth.tokens(other)];
    await auth.pool.query(
      `INSERT INTO token_family (client_id, service_user_id, scope, code_sha256, code_expires_at, expires_at)
       SELECT $1, n, 'patient/*.rs', sha256(n::text::bytea), now() + interval '1 minute', now() + interval '1 minute'
       FROM generate_series(1, 2000) AS n`,
      [client.client_id],
    );
    await auth.pool.query(
      `INSERT INTO system_access_token (token_sha256, client_id, scope, expires_at)
       SELECT sha256(id::bytea), id, 'system/*.rs', now() + interval '1 minute' FROM unnest($1::text[]) AS id`,
      [[client.client_id, other.client_id]],
    );
    expect(revoked('--client', client.client_id)).toEqual({
      authorization_codes: 2000,
      refresh_tokens: 1,
      system_access_tokens: 1,
    });
    expect([await auth.isActive(tokens.access_token), await auth.isActive(others.access_token)]).toEqual([false, true]);
    expect((await auth.refresh(client, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await auth.pool.query('SELECT client_id FROM system_access_token')).rows).toEqual([
      { client_id: other.client_id },
    ]);
    expect(await isPublished((one) => 'client_id' in one && one.client_id === client.client_id)).toBe(true);
    await auth.tokens(client);
  });

  it('records whose codes and tokens it revokes, before it revokes any', async () => {
    const [client, user] = [await auth.client(), anyUser()];
    const tokens = await auth.tokens(client, user);
    const query = async (sql: string, values: unknown[]): Promise<never> =>
      (await auth.pool.query(sql, values)).rows as never;
    const steps: unknown[] = [];
    const context: Partial<TokenCommandContext> = {
      recordSubjects: (subjects) => Promise.resolve(void steps.push(...subjects)),
      clientOf: (serviceUserId) => clientOfUser({ query }, serviceUserId),
      revoke: (owner) => Promise.resolve(void steps.push(owner) as undefined),
    };
    const { client_id: clientId } = client;
    await expect(runHere(['--user', String(user)], context)).rejects.toThrow();
    await expect(runHere(['--client', clientId], context)).rejects.toThrow();
    expect(steps).toEqual([{ serviceUserId: user, clientId }, { serviceUserId: user }, { clientId }, { clientId }]);
    expect(await auth.isActive(tokens.access_token)).toBe(true);
  });

  it.each([
    [[], 'give one of --client and --user'],
    [['--client', 'a', '--user', '1'], 'give one of --client and --user'],
    [['--client', 'no-such-client'], 'there is no such client'],
    [['--client', 'a b'], 'It must have 1 to 128 letters, digits'],
    [['--user', '-1'], 'It must be a service_user_id'],
    [['--user', '1.5'], 'It must be a service_user_id'],
  ])('refuses %j', async (words, message) => {
    await expect(runHere(words)).rejects.toThrow(message);
  });

  it('ends with 1 and an error, and explains itself', async () => {
    expect(run()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^error: give one of/) });
    await expect(runHere(['--help'])).rejects.toThrow('--user <service-user-id>');
  });
});
