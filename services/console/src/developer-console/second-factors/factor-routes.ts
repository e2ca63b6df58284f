import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { type Api, HttpError } from '@tributary/service-kit';
import type { Response } from 'express';
import type { PoolClient } from 'pg';
import { toString as drawQrCode } from 'qrcode';
import { apiPath, jsonBody, notFound, refusal, succeeded, successResponse } from '../common-routes';
import type { Dependencies } from '../dependencies';
import {
  factorAdded,
  newPasskey,
  newRecoveryCodes,
  ofId,
  passkeyAdded,
  passkeyOptions,
  totpSetup,
  totpSignIn,
} from '../schemas';
import { type Session, raiseSession, sessionSeconds } from '../sessions/sessions';
import { type Factors, checkMayChange, hasNone, lockFactors } from './factors';
import { Passkeys, maxPasskeys, storePasskey } from './passkeys';
import { replaceRecoveryCodes } from './recovery-codes';
import { TotpSecrets, newTotp, stepOfCode } from './totp';

/** The second factors of the account. The first one is enrolled with a password only, and completes the sign-in. */
export function serveFactors(api: Api, dependencies: Dependencies): void {
  const { authentications, cookie, keys, limits, mails, outbox, pool, sessions } = dependencies;
  const passkeys = new Passkeys(pool, sessions, dependencies.baseUrl);
  const totpSecrets = new TotpSecrets(keys);
  const refused = refusal(
    'The last sign-in with a second factor is over ten minutes ago, or there was none.',
    'sign_in_again',
    'second_factor_required',
    'invalid_origin',
  );
  const common = {
    tags: ['Second factors'],
    authentication: authentications.anySession,
    limits: limits.session,
    audit: { kind: 'console.factors-changed', action: 'U' },
  } as const;
  const post = { ...common, method: 'post', bodyTypes: jsonBody } as const;
  const added = 'With the first second factor the answer has recovery codes, and the session is raised.';

  /** Changes the factors of an account, whose owner is told so. */
  const change = <T>(
    session: Session,
    what: string,
    work: (on: PoolClient, factors: Factors) => Promise<T>,
  ): Promise<T> =>
    outbox.transaction(async (on, send) => {
      const result = await work(on, await lockFactors(on, session));
      await send(mails.notice(session.email, what));
      return result;
    });

  /** After the first factor: the recovery codes, and the new secret of the session. */
  const enrol = async (
    on: PoolClient,
    { developer, id }: Session,
  ): Promise<{ recoveryCodes: string[]; secret: string }> => {
    const recoveryCodes = await replaceRecoveryCodes(on, developer);
    const secret = await raiseSession(on, id);
    if (secret === undefined) throw new HttpError('not_signed_in', 'the session has ended: sign in');
    return { recoveryCodes, secret };
  };
  const answer = (
    response: Response,
    enrolled: { recoveryCodes: string[]; secret: string } | undefined,
  ): { recovery_codes?: string[] } => {
    if (!enrolled) return {};
    response.append('Set-Cookie', cookie.set(enrolled.secret, sessionSeconds));
    return { recovery_codes: enrolled.recoveryCodes };
  };

  api.route(
    {
      ...post,
      path: apiPath('account/totp'),
      operationId: 'offerTotp',
      summary: 'A new secret for an authenticator, which a code then confirms',
      audit: { none: 'nothing changes before the confirmation, which is recorded' },
      responses: { 200: { description: 'The secret.', schema: totpSetup }, 403: refused },
    },
    async ({ principal }) => {
      await checkMayChange(pool, principal);
      const { secret, uri } = newTotp(principal.email);
      await sessions.offerTotp(principal.id, await totpSecrets.seal(secret, principal.developer));
      return { secret, uri, qr_code: await drawQrCode(uri, { type: 'svg' }) };
    },
  );

  api.route(
    {
      ...post,
      path: apiPath('account/totp/confirm'),
      operationId: 'confirmTotp',
      summary: 'Use the authenticator from now on, in place of an earlier one',
      description: added,
      body: totpSignIn,
      responses: {
        200: { description: 'It is used.', schema: factorAdded, headers: ['Set-Cookie'] },
        400: refusal('The code is not one of the offered secret.', 'invalid_request', 'invalid_code'),
        403: refused,
      },
    },
    async ({ principal, body: { code }, response }) => {
      const { developer, id } = principal;
      const sealed = await sessions.offeredTotp(id);
      const secret = sealed && (await totpSecrets.open(sealed, developer));
      const enrolled = await change(principal, 'an authenticator was added to your account', async (on, factors) => {
        const { rows } = await on.query<{ ms: number }>('SELECT extract(epoch FROM now())::float8 * 1000 AS ms');
        const step = secret === undefined ? undefined : stepOfCode(secret, code, rows[0]?.ms ?? 0);
        if (step === undefined) throw new HttpError('invalid_code', 'the code is wrong: send the current one');
        await on.query(
          'UPDATE account SET totp_sealed = $2, totp_added_at = now(), totp_last_step = $3 WHERE id = $1',
          [developer, sealed, step],
        );
        await on.query('UPDATE session SET totp_offered_sealed = NULL WHERE id = $1', [id]);
        return hasNone(factors) ? enrol(on, principal) : undefined;
      });
      return answer(response, enrolled);
    },
  );

  api.route(
    {
      ...common,
      method: 'delete',
      path: apiPath('account/totp'),
      operationId: 'removeTotp',
      summary: 'Use the authenticator no more',
      responses: {
        200: successResponse,
        403: refused,
        404: refusal('The account has no authenticator.', 'not_found'),
        409: refusal('The account has no passkey.', 'last_second_factor'),
      },
    },
    async ({ principal }) => {
      await change(
        principal,
        'the authenticator of your account was removed',
        async (on, { hasTotp, passkeys: other }) => {
          if (!hasTotp) throw notFound('authenticator');
          if (other === 0) throw lastFactor();
          await on.query(
            'UPDATE account SET totp_sealed = NULL, totp_added_at = NULL, totp_last_step = NULL WHERE id = $1',
            [principal.developer],
          );
        },
      );
      return succeeded;
    },
  );

  api.route(
    {
      ...post,
      path: apiPath('account/passkeys/options'),
      operationId: 'newPasskeyOptions',
      summary: 'What an authenticator is asked to make a passkey',
      audit: { none: 'nothing changes before the passkey is added, which is recorded' },
      responses: { 200: { description: 'The options.', schema: passkeyOptions }, 403: refused },
    },
    async ({ principal }) => {
      await checkMayChange(pool, principal);
      return passkeys.creationOptions(principal);
    },
  );

  api.route(
    {
      ...post,
      path: apiPath('account/passkeys'),
      operationId: 'addPasskey',
      summary: 'Add a passkey',
      description: added,
      body: newPasskey,
      responses: {
        200: { description: 'It is added.', schema: passkeyAdded, headers: ['Set-Cookie'] },
        400: refusal('The answer is wrong or too late.', 'invalid_request', 'invalid_passkey'),
        403: refused,
        409: refusal('The account has ten passkeys.', 'quota_reached'),
      },
    },
    async ({ principal, body, response }) => {
      const credential = await passkeys.verifyCreation(principal, body.response as RegistrationResponseJSON);
      const { passkey, enrolled } = await change(
        principal,
        'a passkey was added to your account',
        async (on, factors) => {
          if (factors.passkeys >= maxPasskeys)
            throw new HttpError('quota_reached', `an account has at most ${maxPasskeys} passkeys`);
          const stored = await storePasskey(on, principal.developer, credential, body.name);
          return { passkey: stored, enrolled: hasNone(factors) ? await enrol(on, principal) : undefined };
        },
      );
      return { passkey, ...answer(response, enrolled) };
    },
  );

  api.route(
    {
      ...common,
      method: 'delete',
      path: apiPath('account/passkeys/{id}'),
      operationId: 'removePasskey',
      summary: 'Remove a passkey',
      params: ofId,
      responses: {
        200: successResponse,
        403: refused,
        404: refusal('The account has no such passkey.', 'not_found'),
        409: refusal('The account has no other passkey and no authenticator.', 'last_second_factor'),
      },
    },
    async ({ principal, params: { id } }) => {
      await change(principal, 'a passkey of your account was removed', async (on, factors) => {
        const { rowCount } = await on.query('DELETE FROM passkey WHERE id = $1 AND account_id = $2', [
          id,
          principal.developer,
        ]);
        if (rowCount === 0) throw notFound('passkey');
        if (!factors.hasTotp && factors.passkeys === 1) throw lastFactor();
      });
      return succeeded;
    },
  );

  api.route(
    {
      ...post,
      path: apiPath('account/recovery-codes'),
      operationId: 'replaceRecoveryCodes',
      summary: 'New recovery codes; the earlier ones end',
      authentication: authentications.session,
      responses: { 200: { description: 'The codes.', schema: newRecoveryCodes }, 403: refused },
    },
    async ({ principal }) => ({
      recovery_codes: await change(principal, 'the recovery codes of your account were replaced', (on) =>
        replaceRecoveryCodes(on, principal.developer),
      ),
    }),
  );
}

function lastFactor(): HttpError {
  return new HttpError('last_second_factor', 'add another second factor before: the account would have none');
}
