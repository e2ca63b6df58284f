import { type Api, HttpError } from '@tributary/service-kit';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { Request, Response } from 'express';
import type { Pool, PoolClient } from 'pg';
import { findAccount } from '../accounts/accounts';
import { hashPassword, isOutdated, isPassword } from '../accounts/passwords';
import { accountEntity, apiPath, foreignOrigin, jsonBody, refusal, succeeded, successResponse } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { passkeyOptions, passkeySignIn, passwordAccepted, recoveryCodeSignIn, signIn, totpSignIn } from '../schemas';
import { Passkeys, invalidPasskey } from '../second-factors/passkeys';
import { useRecoveryCode } from '../second-factors/recovery-codes';
import { TotpSecrets, useTotp } from '../second-factors/totp';
import { type Session, raiseSession, sessionSeconds } from '../sessions/sessions';
import { beginSession } from './begin-session';

/** Signing in: a password begins a session, and a second factor raises it. */
export function serveSignIn(api: Api, dependencies: Dependencies): void {
  const { attempts, authentications, cookie, keys, limits, mails, outbox, pool, sessions } = dependencies;
  const passkeys = new Passkeys(pool, sessions, dependencies.baseUrl);
  const totpSecrets = new TotpSecrets(keys);
  const common = { method: 'post', tags: ['Sign-in'], bodyTypes: jsonBody } as const;
  const withSession = { ...common, authentication: authentications.anySession, limits: limits.session };
  const signedIn = {
    audit: { kind: 'console.signed-in', action: 'E' },
    responses: {
      200: { ...successResponse, headers: ['Set-Cookie'] as const },
      403: foreignOrigin,
      429: { description: 'Too many wrong passwords or codes; `Retry-After` says when to try again.' },
    },
  } as const;

  api.route(
    {
      ...common,
      path: apiPath('sign-in'),
      operationId: 'signIn',
      summary: 'Sign in with a password; a second factor follows',
      authentication: authentications.anonymous,
      limits: limits.anonymous,
      audit: signedIn.audit,
      body: signIn,
      responses: {
        ...signedIn.responses,
        200: { description: 'The password is right.', schema: passwordAccepted, headers: ['Set-Cookie'] },
        401: refusal('The address or the password is wrong.', 'invalid_credentials'),
        403: refusal('The address is not verified.', 'email_not_verified', 'invalid_origin'),
      },
    },
    async ({ body: { email, password }, request, response, audit }) => {
      audit({ kind: 'console.sign-in-refused' });
      const account = await attempts.verify(request, email, async () => {
        const found = await findAccount(pool, email);
        if (found) audit({ kind: 'console.sign-in-refused', entities: [accountEntity(found.id)] });
        return (await isPassword(found?.passwordHash, password)) ? found : undefined;
      });
      if (!account) throw new HttpError('invalid_credentials', 'the e-mail address or the password is wrong');
      if (!account.isVerified) throw new HttpError('email_not_verified', 'the e-mail address is not verified');
      const { id, passwordHash: stored } = account;
      const passwordHash = isOutdated(stored) ? await hashPassword(password) : stored;
      if (passwordHash !== stored)
        await pool.query('UPDATE account SET password_hash = $3 WHERE id = $1 AND password_hash = $2', [
          id,
          stored,
          passwordHash,
        ]);
      const accepted = await beginSession(dependencies, { id, passwordHash }, request, response);
      audit({ kind: 'console.signed-in', entities: [accountEntity(id)] });
      return accepted;
    },
  );

  /** Verifies a second factor, and raises the session of the request. */
  const withFactor = async (
    { principal, request, response, audit }: FactorCall,
    wrong: () => HttpError,
    /** Returns the new secret of the session; undefined when the factor is wrong. */
    verify: () => Promise<string | undefined>,
  ): Promise<typeof succeeded> => {
    audit({ kind: 'console.sign-in-refused' });
    const secret = await attempts.verify(request, principal.developer, verify);
    if (secret === undefined) throw wrong();
    response.append('Set-Cookie', cookie.set(secret, sessionSeconds));
    audit({ kind: 'console.signed-in' });
    return succeeded;
  };
  const invalidCode = (): HttpError => new HttpError('invalid_code', 'the code is wrong, has expired or was used');
  const wrongCode = refusal('The code is wrong.', 'invalid_request', 'invalid_code');

  api.route(
    {
      ...withSession,
      ...signedIn,
      path: apiPath('sign-in/totp'),
      operationId: 'signInWithTotp',
      summary: 'Complete signing in with a code of the authenticator',
      body: totpSignIn,
      responses: { ...signedIn.responses, 400: wrongCode },
    },
    (call) =>
      withFactor(call, invalidCode, async () => {
        const { principal, body } = call;
        return (await useTotp(pool, totpSecrets, principal.developer, body.code)) ? raised(pool, principal) : undefined;
      }),
  );

  api.route(
    {
      ...withSession,
      ...signedIn,
      path: apiPath('sign-in/recovery-code'),
      operationId: 'signInWithRecoveryCode',
      summary: 'Complete signing in with a recovery code, which works once',
      body: recoveryCodeSignIn,
      responses: { ...signedIn.responses, 400: wrongCode },
    },
    (call) =>
      withFactor(call, invalidCode, () =>
        outbox.transaction(async (on, send) => {
          const { developer, email } = call.principal;
          const left = await useRecoveryCode(on, developer, call.body.code);
          if (left === undefined) return undefined;
          await send(mails.notice(email, `a recovery code of your account was used; ${left} are left`));
          return raised(on, call.principal);
        }),
      ),
  );

  api.route(
    {
      ...withSession,
      path: apiPath('sign-in/passkey/options'),
      operationId: 'passkeyOptions',
      summary: 'What a passkey is asked to complete signing in',
      audit: { none: 'the sign-in that follows is recorded' },
      responses: { 200: { description: 'The options.', schema: passkeyOptions }, 403: foreignOrigin },
    },
    ({ principal }) => passkeys.requestOptions(principal),
  );

  api.route(
    {
      ...withSession,
      ...signedIn,
      path: apiPath('sign-in/passkey'),
      operationId: 'signInWithPasskey',
      summary: 'Complete signing in with a passkey',
      body: passkeySignIn,
      responses: {
        ...signedIn.responses,
        400: refusal('The answer is wrong or too late.', 'invalid_request', 'invalid_passkey'),
      },
    },
    (call) =>
      withFactor(call, invalidPasskey, async () => {
        const isRight = await passkeys.use(call.principal, call.body.response as AuthenticationResponseJSON);
        return isRight ? raised(pool, call.principal) : undefined;
      }),
  );

  api.route(
    {
      ...withSession,
      path: apiPath('sign-out'),
      operationId: 'signOut',
      summary: 'End the session',
      audit: { kind: 'console.signed-out', action: 'E' },
      responses: { 200: { ...successResponse, headers: ['Set-Cookie'] }, 403: foreignOrigin },
    },
    async ({ principal, response }) => {
      await sessions.end(principal.developer, principal.id);
      response.append('Set-Cookie', cookie.set('', 0));
      return succeeded;
    },
  );
}

/** The new secret of a session whose second factor was verified. @throws HttpError 401 when the session has ended */
async function raised(on: Pool | PoolClient, { id }: Session): Promise<string> {
  const secret = await raiseSession(on, id);
  if (secret === undefined) throw new HttpError('not_signed_in', 'the session has ended: sign in');
  return secret;
}

interface FactorCall {
  principal: Session;
  request: Request;
  response: Response;
  audit(attributes: { kind: 'console.signed-in' | 'console.sign-in-refused' }): void;
}
