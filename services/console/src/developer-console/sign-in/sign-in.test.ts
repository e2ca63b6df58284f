import {
  type ConsoleBrowser,
  DeveloperConsoleUnderTest,
  baseUrl,
  codeOf,
  newEmail,
  password,
} from '../../../test/developer-console-under-test';
import { VirtualAuthenticator } from '../../../test/virtual-authenticator';

describe('signing in', () => {
  let console: DeveloperConsoleUnderTest;
  beforeAll(async () => {
    console = await DeveloperConsoleUnderTest.start();
  });
  afterAll(() => console.stop());

  const withPassword = async (email: string, replica = 0): Promise<ConsoleBrowser> => {
    const browser = console.browser(replica);
    expect((await browser.post('sign-in', { email, password })).status).toBe(200);
    return browser;
  };

  it('needs a second factor, and until then shows little and changes nothing', async () => {
    const email = await console.newAccount();
    const browser = await withPassword(email.toUpperCase());
    const { body: account } = await browser.get('account');
    expect(account).toMatchObject({ email, name: 'Ada Hart', session: { level: 'password' }, organisations: [] });
    for (const refused of [
      await browser.get('account/sessions'),
      await browser.patch('account', { name: 'Eve' }),
      await browser.post('account/password', { current_password: password, new_password: `${password}!` }),
      await browser.post('account/recovery-codes'),
      await browser.post('organisations', { name: 'Better Sleep' }),
      await browser.post('invitations/accept', { token: 'x'.repeat(43) }),
    ])
      expect([refused.status, refused.body.error_code]).toEqual([403, 'second_factor_required']);
    const { secret, uri, qr_code: qrCode } = (await browser.post('account/totp')).body;
    expect(uri).toContain(`secret=${secret}`);
    expect(qrCode).toMatch(/^<svg/);
    const wrong = await browser.post('account/totp/confirm', { code: codeOf(secret, 9) });
    expect([wrong.status, wrong.body.error_code]).toEqual([400, 'invalid_code']);
    const { cookie } = browser;
    const { body } = await browser.post('account/totp/confirm', { code: codeOf(secret) });
    expect(body.recovery_codes).toHaveLength(10);
    // The secret from before the second factor opens nothing.
    expect(browser.cookie).not.toBe(cookie);
    expect((await browser.get('account')).body.session.level).toBe('second_factor');
    browser.cookie = cookie;
    expect((await browser.get('account')).status).toBe(401);
  });

  it('is of all replicas, and ends', async () => {
    const developer = await console.newDeveloper();
    const other = console.browser(1);
    other.cookie = developer.browser.cookie;
    expect((await other.get('account')).body.id).toBe(developer.id);
    const again = await console.signIn(developer, 1);
    const { entry } = (await again.get('account/sessions')).body;
    expect(entry).toHaveLength(2);
    const former = entry.find(({ current }: { current: boolean }) => !current);
    expect((await again.delete(`account/sessions/${former.id}`)).status).toBe(200);
    expect((await again.delete(`account/sessions/${former.id}`)).status).toBe(404);
    expect((await developer.browser.get('account')).body.error_code).toBe('not_signed_in');
    const { cookie } = again;
    expect((await again.post('sign-out')).status).toBe(200);
    again.cookie = cookie;
    expect((await again.get('account')).status).toBe(401);
  });

  it('ends after 15 minutes without a request, and after 12 hours', async () => {
    const { browser, id } = await console.newDeveloper();
    const age = (set: string): Promise<unknown> =>
      console.pool.query(`UPDATE session SET ${set} WHERE account_id = $1`, [id]);
    await age("last_used_at = now() - interval '14 minutes'");
    const unattended = { 'X-Unattended': 'true' };
    expect((await browser.send('get', 'account', undefined, unattended)).status).toBe(200);
    const { rows: unused } = await console.pool.query(
      "SELECT last_used_at < now() - interval '13 minutes' AS is_old FROM session WHERE account_id = $1",
      [id],
    );
    expect(unused).toEqual([{ is_old: true }]);
    expect((await browser.get('account')).status).toBe(200);
    const { rows } = await console.pool.query(
      "SELECT last_used_at > now() - interval '1 minute' AS touched, ends_at - created_at AS life FROM session WHERE account_id = $1",
      [id],
    );
    expect(rows[0]).toMatchObject({ touched: true, life: { hours: 12 } });
    await age("last_used_at = now() - interval '16 minutes'");
    expect((await browser.get('account')).status).toBe(401);
    await age('last_used_at = now(), ends_at = now()');
    expect((await browser.get('account')).status).toBe(401);
  });

  it('takes each code once', async () => {
    const developer = await console.newDeveloper();
    // The code that has confirmed the authenticator is used, too.
    const first = await withPassword(developer.email);
    const again = await first.post('sign-in/totp', { code: developer.usedCode });
    expect(again.body.error_code).toBe('invalid_code');
    const code = await console.newCode(developer);
    const browsers = await Promise.all([0, 1, 0].map((replica) => withPassword(developer.email, replica)));
    const answers = await Promise.all(browsers.map((browser) => browser.post('sign-in/totp', { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  it('takes each recovery code once, and tells the owner', async () => {
    const developer = await console.newDeveloper();
    const [code = '', next = ''] = developer.recoveryCodes;
    const browsers = await Promise.all([0, 1].map((replica) => withPassword(developer.email, replica)));
    const answers = await Promise.all(
      browsers.map((browser) =>
        browser.post('sign-in/recovery-code', { code: code.toLowerCase().replaceAll('-', ' ') }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const notices = (await console.mailsTo(developer.email)).filter(({ text }) => text.includes('9 are left'));
    expect(notices).toHaveLength(1);
    const replaced = await developer.browser.post('account/recovery-codes');
    expect(replaced.body.recovery_codes).toHaveLength(10);
    const browser = await withPassword(developer.email);
    expect((await browser.post('sign-in/recovery-code', { code: next })).status).toBe(400);
  });

  it('takes passkeys, whose answers work once and for their challenge only', async () => {
    const email = await console.newAccount();
    const browser = await withPassword(email);
    const authenticator = new VirtualAuthenticator(baseUrl);
    const challenge = async (of: ConsoleBrowser, path: string): Promise<string> => (await of.post(path)).body.challenge;
    const foreign = new VirtualAuthenticator('https://evil.test').create(
      await challenge(browser, 'account/passkeys/options'),
    );
    const add = (response: object) => browser.post('account/passkeys', { name: 'Key', response });
    expect((await add(foreign)).body.error_code).toBe('invalid_passkey');
    const created = authenticator.create(await challenge(browser, 'account/passkeys/options'));
    const added = await add(created);
    expect(added.status).toBe(200);
    expect(added.body).toMatchObject({ passkey: { name: 'Key', last_used_at: null } });
    expect(added.body.recovery_codes).toHaveLength(10);
    expect((await add(created)).body.error_code).toBe('invalid_passkey');

    const again = console.browser(1);
    expect((await again.post('sign-in', { email, password })).body).toEqual({
      next: 'second_factor',
      second_factors: ['passkey', 'recovery_code'],
    });
    const answer = (response: object) => again.post('sign-in/passkey', { response });
    expect((await answer(authenticator.get('made-up'))).status).toBe(400);
    const got = authenticator.get(await challenge(again, 'sign-in/passkey/options'));
    const stranger = new VirtualAuthenticator(baseUrl).get(await challenge(again, 'sign-in/passkey/options'));
    expect((await answer({ ...stranger, id: authenticator.id, rawId: authenticator.id })).status).toBe(400);
    expect((await answer(got)).status).toBe(400);
    const right = authenticator.get(await challenge(again, 'sign-in/passkey/options'));
    const answers = await Promise.all([answer(right), answer(right)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await again.get('account')).body.second_factors.passkeys[0].last_used_at).toEqual(expect.any(String));
    // A copy of the authenticator, whose counter stands where this one stood.
    authenticator.counter -= 1;
    expect((await answer(authenticator.get(await challenge(again, 'sign-in/passkey/options')))).status).toBe(400);
  });

  it('is refused after ten wrong attempts, also with what is right, and for unknown addresses alike', async () => {
    const email = await console.newAccount();
    for (const address of [email, newEmail()]) {
      const wrong = (replica: number) =>
        console.browser(replica).post('sign-in', { email: address, password: 'wrong' });
      const answers = await Promise.all(Array.from({ length: 14 }, (_, index) => wrong(index % 2)));
      const codes = answers.map(({ body }) => body.error_code as string).sort();
      expect(codes).toEqual([...Array(10).fill('invalid_credentials'), ...Array(4).fill('too_many_requests')]);
      const refused = await console.browser().post('sign-in', { email: address, password });
      expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    }
    const refused = console.events.filter(({ kind }) => kind === 'console.sign-in-refused');
    expect(refused.length).toBeGreaterThanOrEqual(20);
  });

  it('counts wrong codes of a password that is right, apart from wrong passwords', async () => {
    const developer = await console.newDeveloper();
    const browser = await withPassword(developer.email);
    for (let attempt = 0; attempt < 10; attempt++)
      await console.browser().post('sign-in', { email: developer.email, password: 'wrong' });
    expect((await console.browser().post('sign-in', { email: developer.email, password })).status).toBe(429);
    const codes: string[] = [];
    for (let attempt = 0; attempt < 11; attempt++)
      codes.push((await browser.post('sign-in/totp', { code: codeOf(developer.totpSecret, 99) })).body.error_code);
    expect(codes).toEqual([...Array(10).fill('invalid_code'), 'too_many_requests']);
    expect((await browser.post('sign-in/totp', { code: await console.newCode(developer) })).status).toBe(429);
  });

  it('is for pages of the console only', async () => {
    const { browser, email } = await console.newDeveloper();
    for (const headers of [
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
      { Origin: baseUrl, 'Sec-Fetch-Site': 'same-site' },
    ] as Record<string, string>[]) {
      for (const path of ['sign-out', 'sign-in', 'organisations']) {
        const refused = await browser.post(path, { email, password }, headers);
        expect([refused.status, refused.body.error_code]).toEqual([403, 'invalid_origin']);
        expect(refused.headers['access-control-allow-origin']).toBeUndefined();
      }
      expect((await browser.send('delete', 'account/totp', undefined, headers)).status).toBe(403);
    }
    const form = { Origin: baseUrl, 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await browser.post('sign-out', {}, form)).status).toBe(415);
    const signedIn = await console.browser().post('sign-in', { email, password });
    expect(signedIn.headers['set-cookie']?.[0]).toMatch(
      /^__Host-console-d0b10c616ec9edfa=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  it('refuses a disabled account, and its sessions', async () => {
    const { browser, email, id } = await console.newDeveloper();
    await console.pool.query('UPDATE account SET disabled_at = now() WHERE id = $1', [id]);
    expect((await browser.get('account')).status).toBe(401);
    expect((await browser.post('sign-in', { email, password })).body.error_code).toBe('invalid_credentials');
  });

  it('hashes a password again when the parameters have changed', async () => {
    const email = await console.newAccount();
    const { hash } = await import('@node-rs/argon2');
    const weaker = await hash(password, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    await console.pool.query('UPDATE account SET password_hash = $2 WHERE email = $1', [email, weaker]);
    await withPassword(email);
    const { rows } = await console.pool.query('SELECT password_hash FROM account WHERE email = $1', [email]);
    expect(rows[0].password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

describe('second factors', () => {
  let console: DeveloperConsoleUnderTest;
  beforeAll(async () => {
    console = await DeveloperConsoleUnderTest.start();
  });
  afterAll(() => console.stop());

  it('are changed shortly after signing in with one, and the last one stays', async () => {
    const developer = await console.newDeveloper();
    const { browser } = developer;
    expect((await browser.delete('account/totp')).body.error_code).toBe('last_second_factor');
    await console.pool.query(
      "UPDATE session SET second_factor_at = now() - interval '11 minutes' WHERE account_id = $1",
      [developer.id],
    );
    for (const refused of [
      await browser.post('account/totp'),
      await browser.post('account/passkeys/options'),
      await browser.post('account/recovery-codes'),
      await browser.delete('account/totp'),
    ])
      expect([refused.status, refused.body.error_code]).toEqual([403, 'sign_in_again']);
    const { body: before } = await browser.get('account');
    expect((await browser.post('sign-in/totp', { code: await console.newCode(developer) })).status).toBe(200);
    // A later sign-in does not make the session longer.
    expect((await browser.get('account')).body.session.ends_at).toBe(before.session.ends_at);

    const keys = [new VirtualAuthenticator(baseUrl), new VirtualAuthenticator(baseUrl)];
    const ids: string[] = [];
    for (const key of keys) {
      const { challenge } = (await browser.post('account/passkeys/options')).body;
      const added = await browser.post('account/passkeys', { name: 'Key', response: key.create(challenge) });
      expect(added.body.recovery_codes).toBeUndefined();
      ids.push(added.body.passkey.id);
    }
    expect((await browser.delete('account/totp')).status).toBe(200);
    expect((await browser.delete('account/totp')).status).toBe(404);
    const removed = await Promise.all(ids.map((id) => browser.delete(`account/passkeys/${id}`)));
    expect(removed.map(({ status }) => status).sort()).toEqual([200, 409]);
    const notices = (await console.mailsTo(developer.email)).map(({ text }) => text);
    for (const change of ['authenticator was added', 'passkey was added', 'authenticator of your account was removed'])
      expect(notices.some((text) => text.includes(change))).toBe(true);
    expect(JSON.stringify(console.events)).not.toContain(developer.email);
  });

  it('cannot be enrolled by somebody who has the password only, when there is one', async () => {
    const developer = await console.newDeveloper();
    const thief = console.browser();
    await thief.post('sign-in', { email: developer.email, password });
    expect((await thief.post('account/totp')).body.error_code).toBe('second_factor_required');
    expect((await thief.post('account/passkeys/options')).body.error_code).toBe('second_factor_required');
    expect((await thief.delete('account/totp')).body.error_code).toBe('second_factor_required');
  });

  it('are enrolled once by two sessions with the password only', async () => {
    const email = await console.newAccount();
    const browsers = [console.browser(0), console.browser(1)];
    const offers: string[] = [];
    for (const browser of browsers) {
      await browser.post('sign-in', { email, password });
      offers.push((await browser.post('account/totp')).body.secret);
    }
    const answers = await Promise.all(
      browsers.map((browser, index) => browser.post('account/totp/confirm', { code: codeOf(offers[index]!) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });
});
