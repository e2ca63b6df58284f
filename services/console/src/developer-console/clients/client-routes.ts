import { managedClientWithSecret } from '@tributary/contracts';
import { type Api, HttpError } from '@tributary/service-kit';
import type { PoolClient } from 'pg';
import { answered } from '../../answered';
import { apiPath, jsonBody, refusal } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { needsRole, organisationEntity, unknownOrganisation } from '../organisations/organisation-responses';
import { requireRole, withLockedOrganisation } from '../organisations/roles';
import { clientList, newClient, ofId } from '../schemas';

/** The client applications of an organisation, which auth keeps. They manage themselves over the public APIs. */
export function serveClients(api: Api, { auth, authentications, limits, pool }: Dependencies): void {
  const common = {
    path: apiPath('organisations/{id}/clients'),
    params: ofId,
    tags: ['Clients'],
    authentication: authentications.session,
    limits: limits.session,
  } as const;

  api.route(
    {
      ...common,
      method: 'get',
      operationId: 'listClients',
      summary: 'The client applications of an organisation, oldest first',
      audit: { none: 'the settings of clients, without data of patients' },
      responses: { 200: { description: 'All of them.', schema: clientList }, 403: needsRole, 404: unknownOrganisation },
    },
    async ({ principal, params: { id }, requestId }) => {
      await requireRole(pool, id, principal.developer);
      return { entry: await auth.clientsOfOrganisation(id, { requestId }) };
    },
  );

  api.route(
    {
      ...common,
      method: 'post',
      operationId: 'createClient',
      summary: 'Create a client application',
      description:
        'A live client connects to health systems with data of patients: the organisation needs the permission of the operator. After a lost answer, list the clients: the client may exist, and its secret can be replaced.',
      audit: { kind: 'client.created', action: 'C' },
      body: newClient,
      bodyTypes: jsonBody,
      responses: {
        201: { description: 'The client, with its secret this once.', schema: managedClientWithSecret },
        403: refusal(
          'The role of the account does not allow it, or the organisation may have no live clients.',
          'role_not_allowed',
          'live_clients_not_allowed',
          'second_factor_required',
          'invalid_origin',
        ),
        404: unknownOrganisation,
        409: refusal('The organisation has a hundred clients.', 'too_many_clients'),
      },
    },
    async ({ principal: { developer }, params: { id }, body, requestId, response, audit }) => {
      audit({ entities: [organisationEntity(id)] });
      const creator = { organisationId: id, accountId: developer, allowed: ['owner', 'developer'] } as const;
      // The organisation is not deleted meanwhile.
      const created = await withLockedOrganisation(pool, creator, async (on) => {
        if (body.mode === 'live' && !(await mayHaveLiveClients(on, id)))
          throw new HttpError(
            'live_clients_not_allowed',
            'the organisation may have no live clients: ask the operator of the service',
          );
        return answered(auth.createClient({ ...body, organisation_id: id, developer }, { requestId }));
      });
      audit({ clientId: created.client_id });
      response.status(201);
      return created;
    },
  );
}

async function mayHaveLiveClients(on: PoolClient, organisationId: string): Promise<boolean> {
  const { rows } = await on.query<{ allowed: boolean }>(
    'SELECT may_have_live_clients AS allowed FROM organisation WHERE id = $1',
    [organisationId],
  );
  return rows[0]?.allowed === true;
}
