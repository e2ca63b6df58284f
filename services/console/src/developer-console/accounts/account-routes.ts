import { type Api, HttpError } from '@tributary/service-kit';
import { apiPath, jsonBody, notFound, refusal, succeeded, successResponse } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { account, changeName, changePassword, ofId, sessionList } from '../schemas';
import { endSessions } from '../sessions/sessions';
import { describeAccount, passwordHashOf } from './accounts';
import { endEmailTokens } from './email-tokens';
import { checkNewPassword } from './password-rule';
import { hashPassword, isPassword } from './passwords';

/** The own account, its password and its sessions. */
export function serveAccount(api: Api, dependencies: Dependencies): void {
  const { attempts, authentications, limits, mails, outbox, pool, sessions } = dependencies;
  const common = { tags: ['Account'], authentication: authentications.session, limits: limits.session } as const;
  const needsSecondFactor = refusal(
    'The session has a password only, or the request comes from a page of another origin.',
    'second_factor_required',
    'invalid_origin',
  );

  api.route(
    {
      ...common,
      method: 'get',
      path: apiPath('account'),
      operationId: 'readAccount',
      summary: 'The account, its session, second factors and organisations',
      audit: { none: 'the account of the caller, without data of patients' },
      authentication: authentications.anySession,
      responses: { 200: { description: 'The account.', schema: account } },
    },
    ({ principal }) => describeAccount(pool, principal),
  );

  api.route(
    {
      ...common,
      method: 'patch',
      path: apiPath('account'),
      operationId: 'changeAccount',
      summary: 'Change the name',
      audit: { kind: 'console.account-changed', action: 'U' },
      body: changeName,
      bodyTypes: jsonBody,
      responses: { 200: { description: 'The account.', schema: account }, 403: needsSecondFactor },
    },
    async ({ principal, body: { name } }) => {
      await pool.query('UPDATE account SET name = $2 WHERE id = $1', [principal.developer, name]);
      return describeAccount(pool, principal);
    },
  );

  api.route(
    {
      ...common,
      method: 'post',
      path: apiPath('account/password'),
      operationId: 'changePassword',
      summary: 'Change the password, which ends all other sessions',
      audit: { kind: 'console.password-changed', action: 'U' },
      body: changePassword,
      bodyTypes: jsonBody,
      responses: {
        200: successResponse,
        400: refusal('Bad input, or a password that can be guessed.', 'invalid_request', 'weak_password'),
        403: refusal(
          'The current password is wrong, or the session has a password only.',
          'wrong_password',
          'second_factor_required',
          'invalid_origin',
        ),
      },
    },
    async ({ principal, body, request }) => {
      const { developer, email, id } = principal;
      checkNewPassword(body.new_password, email);
      const isRight = await attempts.verify(request, developer, async () =>
        (await isPassword(await passwordHashOf(pool, developer), body.current_password)) ? true : undefined,
      );
      if (!isRight) throw new HttpError('wrong_password', 'the current password is wrong');
      const hash = await hashPassword(body.new_password);
      await outbox.transaction(async (on, send) => {
        await on.query('UPDATE account SET password_hash = $2 WHERE id = $1', [developer, hash]);
        await endSessions(on, developer, id);
        await endEmailTokens(on, developer, 'reset');
        await send(mails.notice(email, 'the password of your account was changed'));
      });
      return succeeded;
    },
  );

  api.route(
    {
      ...common,
      method: 'get',
      path: apiPath('account/sessions'),
      operationId: 'listSessions',
      summary: 'The open sessions of the account',
      audit: { none: 'the sessions of the caller, without data of patients' },
      responses: { 200: { description: 'The sessions.', schema: sessionList }, 403: needsSecondFactor },
    },
    async ({ principal }) => ({
      entry: (await sessions.list(principal.developer)).map((session) => ({
        id: session.id,
        current: session.id === principal.id,
        level: session.level,
        browser: session.browser,
        address: session.address,
        created_at: session.createdAt.toISOString(),
        last_used_at: session.lastUsedAt.toISOString(),
        ends_at: session.endsAt.toISOString(),
      })),
    }),
  );

  api.route(
    {
      ...common,
      method: 'delete',
      path: apiPath('account/sessions/{id}'),
      operationId: 'endSession',
      summary: 'End a session of the account',
      audit: { kind: 'console.signed-out', action: 'D' },
      params: ofId,
      responses: {
        200: successResponse,
        403: needsSecondFactor,
        404: refusal('The account has no such session.', 'not_found'),
      },
    },
    async ({ principal, params: { id } }) => {
      if (!(await sessions.end(principal.developer, id))) throw notFound('session');
      return succeeded;
    },
  );
}
