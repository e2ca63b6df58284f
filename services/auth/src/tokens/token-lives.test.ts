import fc from 'fast-check';
import type { ClientWithSecret } from '../clients/client-applications';
import { AuthUnderTest, anyUser, credentials } from '../testing/auth-under-test';

interface Family {
  client: number;
  user: number;
  alive: boolean;
  code: string;
  codeSpent: boolean;
  accessTokens: { text: string; alive: boolean }[];
  refreshTokens: { text: string; spent: boolean }[];
}

const steps = fc.array(
  fc.record({
    action: fc.constantFrom('issue', 'exchange', 'exchange', 'refresh', 'refresh', 'refresh', 'revoke access token', 'revoke refresh token', 'revoke user'),
    family: fc.nat({ max: 50 }),
    token: fc.nat({ max: 50 }),
    client: fc.constantFrom(0, 0, 0, 1),
    user: fc.nat({ max: 2 }),
  }),
  { minLength: 5, maxLength: 30 },
);
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

/** What the contract says of codes and tokens, in memory; every step is done there and by the service, and the two must agree. */
class Expectation {
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
    if (step.action === 'refresh') return this.#refresh(family, step);
    return this.#revokeToken(family, step);
  }

  async check(): Promise<void> {
    for (const family of this.families) {
      for (const { text, alive } of family.accessTokens) expect(await this.auth.isActive(text)).toBe(family.alive && alive);
      for (const { text, spent } of family.refreshTokens) {
        const answer = await this.auth.post('/oauth2/introspect', { ...credentials(this.clients[family.client]!), token: text });
        expect(answer.body.active).toBe(family.alive && !spent);
      }
    }
  }

  async #issue({ client, user }: Step): Promise<void> {
    const code = await this.auth.code(this.clients[client]!, this.users[user]!);
    this.families.push({ client, user, alive: true, code, codeSpent: false, accessTokens: [], refreshTokens: [] });
  }

  async #exchange(family: Family, { client }: Step): Promise<void> {
    const answer = await this.auth.exchange(this.clients[client]!, family.code);
    const good = family.alive && client === family.client && !family.codeSpent;
    this.#receive(family, good, answer);
    if (family.codeSpent && !good && client === family.client) family.alive = false;
    if (good) family.codeSpent = true;
  }

  async #refresh(family: Family, { client, token }: Step): Promise<void> {
    const presented = family.refreshTokens[token % Math.max(1, family.refreshTokens.length)];
    if (!presented) return;
    const answer = await this.auth.refresh(this.clients[client]!, presented.text, token % 2);
    const good = family.alive && client === family.client && !presented.spent;
    this.#receive(family, good, answer);
    if (presented.spent && client === family.client) family.alive = false;
    if (good) presented.spent = true;
  }

  async #revokeToken(family: Family, { action, client, token }: Step): Promise<void> {
    const tokens = action === 'revoke access token' ? family.accessTokens : family.refreshTokens;
    const presented = tokens[token % Math.max(1, tokens.length)];
    if (!presented) return;
    await this.auth.post('/oauth2/revoke', { ...credentials(this.clients[client]!), token: presented.text });
    if (client !== family.client) return;
    if ('alive' in presented) presented.alive = false;
    else family.alive = false;
  }

  async #revokeUser({ user }: Step): Promise<void> {
    await this.auth.internal('delete', `/internal/v1/users/${this.users[user]!}/tokens`);
    for (const family of this.families) if (family.user === user) family.alive = false;
  }

  #receive(family: Family, good: boolean, answer: { status: number; body: Record<string, string> }): void {
    expect([answer.status, answer.body['error']]).toEqual(good ? [200, undefined] : [400, 'invalid_grant']);
    if (!good) return;
    family.accessTokens.push({ text: String(answer.body['access_token']), alive: true });
    family.refreshTokens.push({ text: String(answer.body['refresh_token']), spent: false });
  }
}

describe('codes and tokens', () => {
  it('live and end as the contract says, whatever is done in whatever order', async () => {
    const auth = await AuthUnderTest.start({ refreshOverlapMs: 0 });
    try {
      const clients = [await auth.client('One'), await auth.client('Two')];
      await fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          const expectation = new Expectation(auth, clients, [anyUser(), anyUser(), anyUser()]);
          for (const step of taken) await expectation.take(step);
          await expectation.check();
        }),
        { numRuns: 40 },
      );
    } finally {
      await auth.stop();
    }
  }, 120_000);
});
