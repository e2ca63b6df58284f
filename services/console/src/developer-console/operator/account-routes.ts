import { operatorPageSize } from '@tributary/contracts';
import { type Api, cursorSql, positionOfCursor } from '@tributary/service-kit';
import { disableAccount, enableAccount } from '../accounts/account-state';
import { accountEntity, notFound, succeeded, successResponse } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { ofId } from '../schemas';
import { commonOf, noOperator, operatorPath } from './operator-common';
import { type OperatedAccount, disabled, operatedAccountList, search } from './operator-schemas';
import { pageOf } from './page-of';

/** $1: text, or NULL for all. $2 and $3: the time and the id before, or NULL. */
const selectPage = `
  SELECT id, email, name, created_at, verified_at, disabled_at, operator_since,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'role', m.role) ORDER BY lower(o.name), o.id),
       '[]') FROM membership m JOIN organisation o ON o.id = m.organisation_id WHERE m.account_id = a.id) AS organisations,
    ${cursorSql('id')} AS cursor
  FROM account a
  WHERE ($1::text IS NULL OR position(lower($1) IN lower(concat_ws(' ', id, email, name))) > 0)
    AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
  ORDER BY created_at DESC, id DESC LIMIT ${operatorPageSize + 1}`;

/** All accounts of developers. */
export function serveOperatedAccounts(api: Api, dependencies: Dependencies): void {
  const { pool } = dependencies;
  const { reads, changes, refusals } = commonOf(dependencies);

  api.route(
    {
      ...reads,
      path: operatorPath('accounts'),
      operationId: 'operatorListAccounts',
      summary: 'All accounts of developers, newest first',
      query: search,
      responses: { 200: { description: 'A page of them.', schema: operatedAccountList }, 404: noOperator },
    },
    async ({ query: { text, after } }) => {
      const values = [text ?? null, ...positionOfCursor(after)];
      const { rows } = await pool.query<OperatedAccount & { cursor: string }>(selectPage, values);
      return pageOf(rows);
    },
  );

  api.route(
    {
      ...changes,
      path: operatorPath('accounts/{id}'),
      params: ofId,
      method: 'patch',
      operationId: 'operatorChangeAccount',
      summary: 'Disable or enable an account',
      description: 'Disabling ends its sessions and takes back its invitations, and nobody can sign in with it.',
      body: disabled,
      responses: { 200: successResponse, ...refusals },
    },
    async ({ params: { id }, body, audit }) => {
      audit({ entities: [{ ...accountEntity(id), query: body.disabled ? 'disable' : 'enable' }] });
      if (!(await (body.disabled ? disableAccount : enableAccount)(pool, id))) throw notFound('account');
      return succeeded;
    },
  );
}
