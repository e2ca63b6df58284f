import { operatorPageSize } from '@tributary/contracts';
import { type Api, cursorSql, positionOfCursor } from '@tributary/service-kit';
import { notFound, succeeded, successResponse } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { setLiveClients } from '../organisations/live-clients';
import { organisationEntity } from '../organisations/organisation-responses';
import { ofId } from '../schemas';
import { commonOf, noOperator, operatorPath } from './operator-common';
import {
  type OperatedOrganisation,
  liveClients,
  operatedOrganisationList,
  organisationWithMembers,
  search,
} from './operator-schemas';
import { pageOf } from './page-of';

const columns = `id, name, may_have_live_clients, created_at,
  (SELECT count(*)::int FROM membership m WHERE m.organisation_id = o.id) AS members`;

/** $1: text, or NULL for all. $2 and $3: the time and the id before, or NULL. */
const selectPage = `
  SELECT ${columns}, ${cursorSql('id')} AS cursor FROM organisation o
  WHERE ($1::text IS NULL OR position(lower($1) IN lower(concat_ws(' ', id, name))) > 0)
    AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
  ORDER BY created_at DESC, id DESC LIMIT ${operatorPageSize + 1}`;

/** All organisations of developers. */
export function serveOperatedOrganisations(api: Api, dependencies: Dependencies): void {
  const { pool } = dependencies;
  const { reads, changes, refusals } = commonOf(dependencies);
  const one = { path: operatorPath('organisations/{id}'), params: ofId } as const;

  api.route(
    {
      ...reads,
      path: operatorPath('organisations'),
      operationId: 'operatorListOrganisations',
      summary: 'All organisations, newest first',
      query: search,
      responses: { 200: { description: 'A page of them.', schema: operatedOrganisationList }, 404: noOperator },
    },
    async ({ query: { text, after } }) => {
      const values = [text ?? null, ...positionOfCursor(after)];
      const { rows } = await pool.query<OperatedOrganisation & { cursor: string }>(selectPage, values);
      return pageOf(rows);
    },
  );

  api.route(
    {
      ...reads,
      ...one,
      operationId: 'operatorReadOrganisation',
      summary: 'An organisation with its members',
      responses: { 200: { description: 'The organisation.', schema: organisationWithMembers }, 404: noOperator },
    },
    async ({ params: { id }, audit }) => {
      audit({ entities: [organisationEntity(id)] });
      const { rows } = await pool.query<object>(`SELECT ${columns} FROM organisation o WHERE id = $1`, [id]);
      if (!rows[0]) throw notFound('organisation');
      const { rows: member } = await pool.query<object>(
        `SELECT a.id AS account_id, a.email, a.name, m.role FROM membership m JOIN account a ON a.id = m.account_id
         WHERE m.organisation_id = $1 ORDER BY lower(a.name), a.id`,
        [id],
      );
      return { ...rows[0], member };
    },
  );

  api.route(
    {
      ...changes,
      ...one,
      method: 'patch',
      operationId: 'operatorChangeOrganisation',
      summary: 'Let an organisation have live clients, or no further ones',
      body: liveClients,
      responses: { 200: successResponse, ...refusals },
    },
    async ({ params: { id }, body: { may_have_live_clients: isAllowed }, audit }) => {
      audit({ entities: [{ ...organisationEntity(id), query: isAllowed ? 'allow-live' : 'refuse-live' }] });
      if (!(await setLiveClients(pool, id, isAllowed))) throw notFound('organisation');
      return succeeded;
    },
  );
}
