import { type Api, HttpError, inTransaction } from '@tributary/service-kit';
import { apiPath, jsonBody, refusal, succeeded, successResponse } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { ofId, organisation, organisationName } from '../schemas';
import { type Member, needsRole, organisationEntity, unknownOrganisation } from './organisation-responses';
import { requireRole, withLockedOrganisation } from './roles';

const maxOrganisations = 20;

/** Organisations, which own client applications. */
export function serveOrganisations(api: Api, { auth, authentications, limits, pool }: Dependencies): void {
  const common = {
    tags: ['Organisations'],
    authentication: authentications.session,
    limits: limits.session,
  } as const;
  const one = { path: apiPath('organisations/{id}'), params: ofId } as const;
  const found = { description: 'The organisation.', schema: organisation };

  const describe = async (id: string, { developer }: Member): Promise<object> => {
    const role = await requireRole(pool, id, developer);
    const { rows } = await pool.query<{ name: string; may_have_live_clients: boolean; created_at: Date }>(
      'SELECT name, may_have_live_clients, created_at FROM organisation WHERE id = $1',
      [id],
    );
    const [row] = rows;
    if (!row) throw new HttpError('not_found', 'there is no such organisation');
    return { id, ...row, created_at: row.created_at.toISOString(), role };
  };

  api.route(
    {
      ...common,
      method: 'post',
      path: apiPath('organisations'),
      operationId: 'createOrganisation',
      summary: 'Make an organisation, whose owner is the account',
      audit: { kind: 'console.organisation-changed', action: 'C' },
      body: organisationName,
      bodyTypes: jsonBody,
      responses: {
        201: found,
        403: refusal('The session has a password only.', 'second_factor_required', 'invalid_origin'),
        409: refusal('The account owns twenty organisations.', 'quota_reached'),
      },
    },
    async ({ principal, body: { name }, response, audit }) => {
      const id = await inTransaction(pool, async (on) => {
        await on.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [principal.developer]);
        const { rows: owned } = await on.query(
          `SELECT FROM membership WHERE account_id = $1 AND role = 'owner' LIMIT ${maxOrganisations}`,
          [principal.developer],
        );
        if (owned.length === maxOrganisations)
          throw new HttpError('quota_reached', `an account owns at most ${maxOrganisations} organisations`);
        const { rows } = await on.query<{ id: string }>(
          `WITH made AS (INSERT INTO organisation (name) VALUES ($1) RETURNING id)
           INSERT INTO membership (organisation_id, account_id, role) SELECT id, $2, 'owner' FROM made
           RETURNING organisation_id AS id`,
          [name, principal.developer],
        );
        return rows[0]?.id ?? '';
      });
      audit({ entities: [organisationEntity(id)] });
      response.status(201);
      return describe(id, principal);
    },
  );

  api.route(
    {
      ...common,
      ...one,
      method: 'get',
      operationId: 'readOrganisation',
      summary: 'An organisation of the account',
      audit: { none: 'an organisation of the caller, without data of patients' },
      responses: { 200: found, 403: needsRole, 404: unknownOrganisation },
    },
    ({ principal, params: { id } }) => describe(id, principal),
  );

  api.route(
    {
      ...common,
      ...one,
      method: 'patch',
      operationId: 'changeOrganisation',
      summary: 'Change the name of an organisation; owners only',
      audit: { kind: 'console.organisation-changed', action: 'U' },
      body: organisationName,
      bodyTypes: jsonBody,
      responses: { 200: found, 403: needsRole, 404: unknownOrganisation },
    },
    async ({ principal, params: { id }, body: { name }, audit }) => {
      audit({ entities: [organisationEntity(id)] });
      await requireRole(pool, id, principal.developer, ['owner']);
      await pool.query('UPDATE organisation SET name = $2 WHERE id = $1', [id, name]);
      return describe(id, principal);
    },
  );

  api.route(
    {
      ...common,
      ...one,
      method: 'delete',
      operationId: 'deleteOrganisation',
      summary: 'Delete an organisation with its memberships and invitations; owners only',
      audit: { kind: 'console.organisation-changed', action: 'D' },
      responses: {
        200: successResponse,
        403: needsRole,
        404: unknownOrganisation,
        409: refusal('The organisation has client applications.', 'organisation_has_clients'),
      },
    },
    async ({ principal: { developer }, params: { id }, requestId, audit }) => {
      audit({ entities: [organisationEntity(id)] });
      await withLockedOrganisation(
        pool,
        { organisationId: id, accountId: developer, allowed: ['owner'] },
        async (on) => {
          const clients = await auth.clientsOfOrganisation(id, { requestId });
          if (clients.length > 0)
            throw new HttpError('organisation_has_clients', 'delete the client applications of the organisation first');
          await on.query('DELETE FROM organisation WHERE id = $1', [id]);
        },
      );
      return succeeded;
    },
  );
}
