import type { Response } from 'supertest';
import { DeveloperConsoleUnderTest, newEmail, password } from '../../../test/developer-console-under-test';
import { deleteExpired } from '../database/expiry-sweep';

const otherPassword = 'seven quiet lanterns';

/** What an answer tells: everything but its request id and its date. */
function contentOf({ status, headers, text }: Response): object {
  const { 'x-request-id': _id, date: _date, ...others } = headers as Record<string, string>;
  return { status, text, headers: others };
}

describe('accounts', () => {
  let console: DeveloperConsoleUnderTest;
  beforeAll(async () => {
    console = await DeveloperConsoleUnderTest.start();
  });
  afterAll(() => console.stop());

  const signUp = (email: string, more: object = {}, replica = 0): Promise<Response> =>
    console.browser(replica).post('sign-up', { email, password, name: 'Ada Hart', ...more });
  const signIn = (email: string, typed = password): Promise<Response> =>
    console.browser().post('sign-in', { email, password: typed });
  const code = async (answer: Promise<Response>): Promise<string> => (await answer).body.error_code;

  it('are verified by mail before anyone signs in, once, with a link that the log does not see', async () => {
    const email = newEmail();
    await signUp(email);
    expect(await code(signIn(email))).toBe('email_not_verified');
    expect(await code(signIn(email, 'wrong'))).toBe('invalid_credentials');
    const [mail] = await console.mailsTo(email);
    const token = await console.tokenTo(email);
    expect(mail?.text).toContain(`https://tributary.test/console/verify-email#token=${token}`);
    expect(mail?.html).toContain(`<a href="https://tributary.test/console/verify-email#token=${token}">`);
    const [browser, other] = [console.browser(0), console.browser(1)];
    const answers = await Promise.all([browser, other].map((each) => each.post('verify-email', { token, password })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({
      next: 'enrol_second_factor',
      second_factors: [],
    });
    expect([browser.cookie, other.cookie].filter((cookie) => cookie !== undefined)).toHaveLength(1);
    expect((await signIn(email)).status).toBe(200);
    const unknown = { token: 'x'.repeat(43), password };
    expect(await code(console.browser().post('verify-email', unknown))).toBe('email_link_ended');
  });

  it('of somebody else who has signed up in the name of an address are not verified by its owner', async () => {
    const email = newEmail();
    await signUp(email, { password: otherPassword });
    const token = await console.tokenTo(email);
    const verify = (typed: string) => console.browser().post('verify-email', { token, password: typed });
    expect(await code(verify(password))).toBe('invalid_credentials');
    expect(await code(signIn(email, otherPassword))).toBe('email_not_verified');
    await signUp(email);
    expect(await code(verify(otherPassword))).toBe('email_link_ended');
    const { status } = await console.browser().post('verify-email', { token: await console.tokenTo(email), password });
    expect(status).toBe(200);
  });

  it('are made once by concurrent requests, by the last of them', async () => {
    const email = newEmail();
    const answers = await Promise.all([
      signUp(email, {}, 0),
      signUp(email.toUpperCase(), { password: otherPassword }, 1),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const { rows } = await console.pool.query('SELECT id, email FROM account WHERE lower(email) = $1', [email]);
    expect(rows).toHaveLength(1);
    const { rows: tokens } = await console.pool.query('SELECT FROM email_token WHERE account_id = $1', [rows[0].id]);
    expect(tokens).toHaveLength(1);
  });

  it('tell nobody whether an address has one', async () => {
    const [known, waiting] = [await console.newAccount(), newEmail()];
    await signUp(waiting);
    for (const [path, body] of [
      ['sign-up', { password: otherPassword, name: 'Eve' }],
      ['verify-email/resend', {}],
      ['forgot-password', {}],
    ] as const) {
      const answers = [];
      for (const email of [known, waiting, newEmail()]) {
        const started = performance.now();
        answers.push(contentOf(await console.browser().post(path, { email, ...body })));
        // Longer than the statements by which the cases differ.
        expect(performance.now() - started).toBeGreaterThan(190);
      }
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
      expect(answers[0]).toMatchObject({ status: 202 });
    }
    const wrong = [];
    for (const email of [known, newEmail()]) wrong.push(contentOf(await signIn(email, 'wrong')));
    expect(wrong[1]).toEqual(wrong[0]);
    // The owner is told, and nothing has changed.
    const subjects = (await console.mailsTo(known)).map(({ subject }) => subject);
    expect(subjects).toEqual(['Verify your e-mail address', 'You have an account already', 'Choose a new password']);
    expect((await signIn(known)).status).toBe(200);
    expect((await console.mailsTo(waiting)).map(({ subject }) => subject)).toEqual([
      ...Array(3).fill('Verify your e-mail address'),
      'Choose a new password',
    ]);
  });

  it('have a new password by mail, once, which ends all sessions and keeps the second factor', async () => {
    const { email, browser } = await console.newDeveloper();
    await console.browser().post('forgot-password', { email });
    const former = await console.tokenTo(email);
    await console.browser().post('forgot-password', { email });
    const token = await console.tokenTo(email);
    const reset = (sent: string, newPassword = otherPassword, replica = 0): Promise<Response> =>
      console.browser(replica).post('reset-password', { token: sent, new_password: newPassword });
    expect(await code(reset(former))).toBe('email_link_ended');
    expect(await code(reset(token, 'passwordpassword'))).toBe('weak_password');
    const answers = await Promise.all([reset(token, otherPassword, 0), reset(token, otherPassword, 1)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect((await browser.get('account')).status).toBe(401);
    expect(await code(signIn(email))).toBe('invalid_credentials');
    expect((await signIn(email, otherPassword)).body.next).toBe('second_factor');
    expect((await console.mailsTo(email)).at(-1)?.text).toContain('the password of your account was changed');
  });

  it('change the password with the current one, which ends the other sessions', async () => {
    const developer = await console.newDeveloper();
    const { browser, email } = developer;
    const other = await console.signIn(developer, 1);
    const change = (current: string, next: string): Promise<Response> =>
      browser.post('account/password', { current_password: current, new_password: next });
    expect(await code(change('wrong', otherPassword))).toBe('wrong_password');
    expect(await code(change(password, `${email.split('@')[0]}1234`))).toBe('weak_password');
    expect((await change(password, otherPassword)).status).toBe(200);
    expect([(await browser.get('account')).status, (await other.get('account')).status]).toEqual([200, 401]);
    expect((await signIn(email, otherPassword)).status).toBe(200);
    expect((await browser.patch('account', { name: ' Ada B. Hart ' })).body.name).toBe('Ada B. Hart');
  });

  it('begin no session by a password that is changed while it is verified', async () => {
    const { id } = await console.newDeveloper();
    const { sessions } = console.dependencies;
    const from = { browser: 'Firefox', address: '127.0.0.1' };
    const { rows } = await console.pool.query('SELECT password_hash FROM account WHERE id = $1', [id]);
    const before = rows[0].password_hash as string;
    expect(await sessions.begin(id, before, from)).toEqual(expect.any(String));
    const changing = await console.pool.connect();
    await changing.query('BEGIN');
    await changing.query(`UPDATE account SET password_hash = 'another' WHERE id = $1`, [id]);
    const begun = sessions.begin(id, before, from);
    await changing.query('COMMIT');
    changing.release();
    expect(await begun).toBeUndefined();
  });

  it('get five mails an hour that others can cause, and nothing changes without one', async () => {
    const email = newEmail();
    for (let count = 0; count < 5; count++) await signUp(email);
    const token = await console.tokenTo(email);
    expect((await signUp(email, { password: otherPassword })).status).toBe(202);
    expect(await console.mailsTo(email)).toHaveLength(5);
    // The link of the last mail still leads to the account of the one who has requested it.
    await console.browser().post('verify-email', { token, password });
    expect((await signIn(email)).status).toBe(200);
  });

  it('leave nothing of what has expired', async () => {
    const { email, id } = await console.newDeveloper();
    const waiting = newEmail();
    await signUp(waiting);
    await console.browser().post('forgot-password', { email });
    const token = await console.tokenTo(email);
    await console.pool.query(`UPDATE email_token SET expires_at = now() WHERE account_id = $1`, [id]);
    expect(await code(console.browser().post('reset-password', { token, new_password: otherPassword }))).toBe(
      'email_link_ended',
    );
    await console.pool.query(`UPDATE session SET last_used_at = now() - interval '1 hour' WHERE account_id = $1`, [id]);
    await console.pool.query(`UPDATE account SET created_at = now() - interval '8 days'`);
    await deleteExpired(console.pool);
    const { rows } = await console.pool.query(
      `SELECT (SELECT count(*)::int FROM session WHERE account_id = $1) AS sessions,
         (SELECT count(*)::int FROM email_token WHERE account_id = $1) AS tokens,
         (SELECT count(*)::int FROM account WHERE email = $2) AS waiting,
         (SELECT count(*)::int FROM account WHERE id = $1) AS verified`,
      [id, waiting],
    );
    expect(rows[0]).toEqual({ sessions: 0, tokens: 0, waiting: 0, verified: 1 });
  });

  it('are described by an OpenAPI document', async () => {
    const { default: request } = await import('supertest');
    const { status, body } = await request(console.replicas[0]!.app).get('/console/openapi.json');
    expect(status).toBe(200);
    expect(Object.keys(body.paths)).toContain('/console/api/v1/sign-up');
    expect(body.components.securitySchemes.console_session).toMatchObject({ type: 'apiKey', in: 'cookie' });
  });
});
