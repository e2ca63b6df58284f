import fc from 'fast-check';
import type { ClientWithSecret } from '../clients/client-applications';
import { AuthUnderTest, anyUser, credentials } from '../../test/auth-under-test';
import { tokenHash } from './opaque-token';

interface Family {
  client: number;
  user: number;
  alive: boolean;
  code: string;
  codeUsed: boolean;
  accessTokens: { text: string; alive: boolean }[];
  /** All refresh tokens of the family, also replaced ones. */
  refreshTokens: string[];
  current?: string;
  /**
   * The previous refresh token, while it can be retried: the access token is unused and the grace period has not
   * passed.
   */
  retryable?: { text: string; unusedAccessToken: string };
}

const steps = fc.array(
  fc.record({
    action: fc.constantFrom(
      'issue',
      'exchange',
      'exchange',
      'refresh',
      'refresh',
      'refresh',
      'refresh',
      'refresh twice at once',
      'use access token',
      'a minute passes',
      'revoke access token',
      'revoke refresh token',
      'revoke user',
    ),
    family: fc.nat({ max: 50 }),
    token: fc.nat({ max: 50 }),
    client: fc.constantFrom(0, 0, 0, 1),
    user: fc.nat({ max: 2 }),
  }),
  { minLength: 5, maxLength: 30 },
);
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

/**
 * A model of codes and tokens in memory. Every step is applied to the model and to the service, and their results must
 * be equal.
 */
class Model {
  readonly families: Family[] = [];

  constructor(
    private readonly auth: AuthUnderTest,
    private readonly clients: ClientWithSecret[],
    private readonly users: number[],
  ) {}

  async take(step: Step): Promise<void> {
    if (step.action === 'issue') return this.#issue(step);
    if (step.action === 'revoke user') return this.#revokeUser(step);
    const family = this.families[step.family % Math.max(1, this.families.length)];
    if (!family) return;
    if (step.action === 'exchange') return this.#exchange(family, step);
    if (step.action === 'refresh') return this.#refresh(family, step, 1);
    if (step.action === 'refresh twice at once') return this.#refresh(family, step, 2);
    if (step.action === 'use access token') return this.#use(family, step);
    if (step.action === 'a minute passes') return this.#letAMinutePass(family);
    return this.#revokeToken(family, step);
  }

  async check(): Promise<void> {
    for (const family of this.families) {
      for (const { text, alive } of family.accessTokens)
        expect(await this.auth.isActive(text)).toBe(family.alive && alive);
      for (const text of family.refreshTokens) {
        const answer = await this.auth.post('/oauth2/introspect', {
          ...credentials(this.clients[family.client]!),
          token: text,
        });
        expect(answer.body.active).toBe(family.alive && text === family.current);
      }
    }
  }

  async #issue({ client, user }: Step): Promise<void> {
    const code = await this.auth.code(this.clients[client]!, this.users[user]!);
    this.families.push({ client, user, alive: true, code, codeUsed: false, accessTokens: [], refreshTokens: [] });
  }

  async #exchange(family: Family, { client }: Step): Promise<void> {
    const answer = await this.auth.exchange(this.clients[client]!, family.code);
    const good = family.alive && client === family.client && !family.codeUsed;
    this.#receive(family, good, answer);
    if (family.codeUsed && !good && client === family.client) family.alive = false;
    if (!good) return;
    family.codeUsed = true;
    family.current = String(answer.body.refresh_token);
  }

  async #refresh(family: Family, { client, token }: Step, times: number): Promise<void> {
    const presented = family.refreshTokens[token % Math.max(1, family.refreshTokens.length)];
    if (presented === undefined) return;
    const isOwn = client === family.client;
    const isRetry = presented === family.retryable?.text;
    const good = family.alive && isOwn && (presented === family.current || isRetry);
    const answers = await Promise.all(
      Array.from({ length: times }, (_, i) => this.auth.refresh(this.clients[client]!, presented, (token + i) % 2)),
    );
    if (good && isRetry) this.#withdraw(family);
    for (const answer of answers) this.#receive(family, good, answer);
    if (!good) {
      if (isOwn) family.alive = false;
      return;
    }
    // Only the database knows which of concurrent requests was the last.
    const last = await this.#lastOf(answers.map(({ body }) => body as Record<string, string>));
    for (const { body } of answers)
      if (body.access_token !== last.access_token) this.#end(family, String(body.access_token));
    family.current = last.refresh_token;
    family.retryable = { text: presented, unusedAccessToken: last.access_token };
  }

  async #lastOf(pairs: Record<string, string>[]): Promise<{ access_token: string; refresh_token: string }> {
    const hashes = pairs.map((pair) => tokenHash(String(pair['refresh_token'])));
    const { rows } = await this.auth.pool.query<{ refresh_sha256: Buffer }>(
      'SELECT refresh_sha256 FROM token_family WHERE refresh_sha256 = ANY ($1)',
      [hashes],
    );
    expect(rows).toHaveLength(1);
    const { access_token = '', refresh_token = '' } =
      pairs[hashes.findIndex((hash) => hash.equals(rows[0]!.refresh_sha256))] ?? {};
    return { access_token, refresh_token };
  }

  #withdraw(family: Family): void {
    if (family.retryable) this.#end(family, family.retryable.unusedAccessToken);
  }

  #end(family: Family, accessToken: string): void {
    for (const one of family.accessTokens) if (one.text === accessToken) one.alive = false;
  }

  async #use(family: Family, { token }: Step): Promise<void> {
    const used = family.accessTokens[token % Math.max(1, family.accessTokens.length)];
    if (!used) return;
    expect(await this.auth.isActive(used.text)).toBe(family.alive && used.alive);
    if (used.alive && used.text === family.retryable?.unusedAccessToken) delete family.retryable;
  }

  async #letAMinutePass(family: Family): Promise<void> {
    await this.auth.pool.query(
      `UPDATE token_family SET rotated_at = rotated_at - interval '60 s' WHERE code_sha256 = $1`,
      [tokenHash(family.code)],
    );
    delete family.retryable;
  }

  async #revokeToken(family: Family, { action, client, token }: Step): Promise<void> {
    const tokens = action === 'revoke access token' ? family.accessTokens : family.refreshTokens;
    const presented = tokens[token % Math.max(1, tokens.length)];
    if (!presented) return;
    await this.auth.post('/oauth2/revoke', {
      ...credentials(this.clients[client]!),
      token: typeof presented === 'string' ? presented : presented.text,
    });
    if (client !== family.client) return;
    if (typeof presented === 'string') family.alive = false;
    else presented.alive = false;
  }

  async #revokeUser({ user }: Step): Promise<void> {
    await this.auth.internal('delete', `/internal/v1/users/${this.users[user]!}/tokens`);
    for (const family of this.families) if (family.user === user) family.alive = false;
  }

  #receive(family: Family, good: boolean, answer: { status: number; body: Record<string, string> }): void {
    expect([answer.status, answer.body['error']]).toEqual(good ? [200, undefined] : [400, 'invalid_grant']);
    if (!good) return;
    family.accessTokens.push({ text: String(answer.body['access_token']), alive: true });
    family.refreshTokens.push(String(answer.body['refresh_token']));
  }
}

describe('codes and tokens', () => {
  it('behave like the model for random sequences of steps', async () => {
    const auth = await AuthUnderTest.start();
    try {
      const clients = [await auth.client('One'), await auth.client('Two')];
      await fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          const model = new Model(auth, clients, [anyUser(), anyUser(), anyUser()]);
          for (const step of taken) await model.take(step);
          await model.check();
        }),
        { numRuns: 60 },
      );
    } finally {
      await auth.stop();
    }
  });
});
