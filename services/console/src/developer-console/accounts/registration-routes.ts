import { setTimeout as pause } from 'node:timers/promises';
import { type Api, HttpError, inTransaction } from '@tributary/service-kit';
import { accountEntity, apiPath, foreignOrigin, jsonBody, refusal, succeeded, successResponse } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { ofEmail, passwordAccepted, resetPassword, signUp, verifyEmail } from '../schemas';
import { endSessions } from '../sessions/sessions';
import { beginSession } from '../sign-in/begin-session';
import { findAccount } from './accounts';
import { accountOfToken, endEmailTokens, newEmailToken, takeEmailToken } from './email-tokens';
import { checkNewPassword } from './password-rule';
import { hashPassword, isPassword } from './passwords';

/**
 * How long the answers take at least that must not tell whether an address has an account, in milliseconds: longer than
 * the statements by which the two cases differ.
 */
const answerAfterMs = 200;

/** Signing up, verifying the address, and a new password by mail. */
export function serveRegistration(api: Api, dependencies: Dependencies): void {
  const { attempts, authentications, limits, mailLimit, mails, outbox, pool } = dependencies;
  const common = {
    method: 'post',
    tags: ['Accounts'],
    authentication: authentications.anonymous,
    limits: limits.anonymous,
    bodyTypes: jsonBody,
  } as const;
  const accepted = { 202: { ...successResponse, description: 'A mail follows, if the address is to get one.' } };

  api.route(
    {
      ...common,
      path: apiPath('sign-up'),
      operationId: 'signUp',
      summary: 'Make an account, whose address is then verified by mail',
      description:
        'The answer is the same when the address has an account; its owner gets another mail. Until the address is verified, whoever signs up last sets name and password.',
      audit: { kind: 'console.signed-up', action: 'C' },
      body: signUp,
      responses: {
        ...accepted,
        400: refusal('Bad input, or a password that can be guessed.', 'invalid_request', 'weak_password'),
        403: foreignOrigin,
      },
    },
    async ({ body: { email, password, name }, response, audit }) => {
      checkNewPassword(password, email);
      await evenly(async () => {
        const [hash, isAllowed] = await Promise.all([hashPassword(password), mailLimit.allows(email)]);
        // Without a mail nothing changes: an earlier one would lead to an account with another password.
        if (!isAllowed) return;
        await outbox.transaction(async (on, send) => {
          const { rows } = await on.query<{ id: string }>(
            `INSERT INTO account (email, name, password_hash) VALUES ($1, $2, $3)
             ON CONFLICT (lower(email)) DO UPDATE
               SET email = excluded.email, name = excluded.name, password_hash = excluded.password_hash, created_at = now()
               WHERE account.verified_at IS NULL AND account.disabled_at IS NULL
             RETURNING id`,
            [email, name, hash],
          );
          const [account] = rows;
          if (account) audit({ entities: [accountEntity(account.id)] });
          await send(
            account ? mails.verify(email, await newEmailToken(on, account.id, 'verify')) : mails.alreadySignedUp(email),
          );
        });
      });
      response.status(202);
      return succeeded;
    },
  );

  api.route(
    {
      ...common,
      path: apiPath('verify-email'),
      operationId: 'verifyEmail',
      summary: 'Verify the address of an account by the token of the mail, and sign in',
      description:
        'The password shows that the owner of the address has signed up: somebody else may have done so in its name.',
      audit: { kind: 'console.email-verified', action: 'U' },
      body: verifyEmail,
      responses: {
        200: { description: 'The address is verified.', schema: passwordAccepted, headers: ['Set-Cookie'] },
        401: refusal('The password is not that of the account.', 'invalid_credentials'),
        403: foreignOrigin,
        410: refusal('The link has ended.', 'email_link_ended'),
        429: { description: 'Too many wrong passwords; `Retry-After` says when to try again.' },
      },
    },
    async ({ body: { token, password }, request, response, audit }) => {
      const account = await accountOfToken(pool, token, 'verify');
      if (!account) throw linkEnded();
      audit({ entities: [accountEntity(account.id)] });
      const { id, passwordHash } = account;
      const isRight = await attempts.verify(request, account.email, async () =>
        (await isPassword(passwordHash, password)) ? true : undefined,
      );
      if (!isRight) throw new HttpError('invalid_credentials', 'the password is not that of the account');
      await inTransaction(pool, async (on) => {
        if ((await takeEmailToken(on, token, 'verify')) === undefined) throw linkEnded();
        await on.query('UPDATE account SET verified_at = coalesce(verified_at, now()) WHERE id = $1', [id]);
      });
      return beginSession(dependencies, { id, passwordHash }, request, response);
    },
  );

  /** Sends a mail with a new token to the owner of an account, if there is one. */
  const sendToken = async (email: string, purpose: 'verify' | 'reset'): Promise<string | undefined> => {
    const [account, isAllowed] = await Promise.all([findAccount(pool, email), mailLimit.allows(email)]);
    if (!account || !isAllowed || (purpose === 'verify' && account.isVerified)) return undefined;
    await outbox.transaction(async (on, send) => {
      const token = await newEmailToken(on, account.id, purpose);
      await send(purpose === 'verify' ? mails.verify(account.email, token) : mails.resetPassword(account.email, token));
    });
    return account.id;
  };

  for (const { path, operationId, summary, purpose, kind } of [
    {
      path: 'verify-email/resend',
      operationId: 'resendVerification',
      summary: 'Another mail to verify an address; the answer is always the same',
      purpose: 'verify',
      kind: 'console.signed-up',
    },
    {
      path: 'forgot-password',
      operationId: 'forgotPassword',
      summary: 'A mail to choose a new password; the answer is always the same',
      purpose: 'reset',
      kind: 'console.password-changed',
    },
  ] as const)
    api.route(
      {
        ...common,
        path: apiPath(path),
        operationId,
        summary,
        audit: { kind, action: 'E' },
        body: ofEmail,
        responses: { ...accepted, 403: foreignOrigin },
      },
      async ({ body: { email }, response, audit }) => {
        await evenly(async () => {
          const id = await sendToken(email, purpose);
          if (id !== undefined) audit({ entities: [accountEntity(id)] });
        });
        response.status(202);
        return succeeded;
      },
    );

  api.route(
    {
      ...common,
      path: apiPath('reset-password'),
      operationId: 'resetPassword',
      summary: 'Set a new password by the token of the mail, which ends all sessions',
      description: 'The next sign-in needs the second factor as before.',
      audit: { kind: 'console.password-changed', action: 'U' },
      body: resetPassword,
      responses: {
        200: successResponse,
        400: refusal('Bad input, or a password that can be guessed.', 'invalid_request', 'weak_password'),
        403: foreignOrigin,
        410: refusal('The link has ended.', 'email_link_ended'),
      },
    },
    async ({ body: { token, new_password: password }, audit }) => {
      const account = await accountOfToken(pool, token, 'reset');
      if (!account) throw linkEnded();
      audit({ entities: [accountEntity(account.id)] });
      checkNewPassword(password, account.email);
      const hash = await hashPassword(password);
      await outbox.transaction(async (on, send) => {
        const id = await takeEmailToken(on, token, 'reset');
        if (id === undefined) throw linkEnded();
        // The mail has reached its address.
        await on.query(
          'UPDATE account SET password_hash = $2, verified_at = coalesce(verified_at, now()) WHERE id = $1',
          [id, hash],
        );
        await endSessions(on, id);
        for (const purpose of ['verify', 'reset'] as const) await endEmailTokens(on, id, purpose);
        await send(mails.notice(account.email, 'the password of your account was changed'));
      });
      return succeeded;
    },
  );
}

/** Does work whose time would tell whether an address has an account, for as long at least as either case takes. */
async function evenly(work: () => Promise<void>): Promise<void> {
  await Promise.all([work(), pause(answerAfterMs)]);
}

function linkEnded(): HttpError {
  return new HttpError('email_link_ended', 'the link was used already, has expired, or was replaced by a newer one');
}
