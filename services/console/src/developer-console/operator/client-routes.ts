import { clientUserCount, operatedClient, operatedClientList } from '@tributary/contracts';
import type { Api } from '@tributary/service-kit';
import { answered } from '../../answered';
import { notFound, refusal } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { commonOf, noOperator, operatorPath } from './operator-common';
import { clientOfOrganisation, clientQuery, disabled, ofClient } from './operator-schemas';

/** All client applications of the service, which auth keeps. */
export function serveOperatedClients(api: Api, dependencies: Dependencies): void {
  const { pool, operator: services } = dependencies;
  const { reads, changes, refusals } = commonOf(dependencies);
  const one = { path: operatorPath('clients/{client_id}'), params: ofClient } as const;

  api.route(
    {
      ...reads,
      path: operatorPath('clients'),
      operationId: 'operatorListClients',
      summary: 'All client applications, newest first',
      query: clientQuery,
      responses: { 200: { description: 'A page of them.', schema: operatedClientList }, 404: noOperator },
    },
    ({ query, requestId }) => answered(services.clients.list(query, { requestId })),
  );

  api.route(
    {
      ...reads,
      ...one,
      operationId: 'operatorReadClient',
      summary: 'A client application in any state, without its secrets',
      responses: { 200: { description: 'The client.', schema: clientOfOrganisation }, 404: noOperator },
    },
    async ({ params: { client_id: clientId }, requestId, audit }) => {
      audit({ clientId });
      const client = await services.clients.find(clientId, { requestId });
      if (!client) throw notFound('client');
      const { rows } = await pool.query('SELECT id, name FROM organisation WHERE id = $1', [client.organisation_id]);
      return { ...client, organisation: rows[0] ?? null };
    },
  );

  api.route(
    {
      ...reads,
      path: operatorPath('clients/{client_id}/users'),
      operationId: 'operatorCountUsers',
      summary: 'How many users a client application has',
      params: ofClient,
      responses: { 200: { description: 'The number.', schema: clientUserCount }, 404: noOperator },
    },
    ({ params: { client_id: clientId }, requestId, audit }) => {
      audit({ clientId });
      return services.connections.countUsers(clientId, { requestId });
    },
  );

  api.route(
    {
      ...changes,
      ...one,
      method: 'patch',
      operationId: 'operatorChangeClient',
      summary: 'Disable or enable a client application',
      description:
        'Its credentials, codes and all tokens of its users stop working at once, until it is enabled. Enabling it also takes back a deletion that has not begun.',
      body: disabled,
      responses: {
        200: { description: 'The client.', schema: operatedClient },
        ...refusals,
        409: refusal('The deletion of the client has begun.', 'client_being_deleted'),
      },
    },
    async ({ principal, params: { client_id: clientId }, body, requestId, audit }) => {
      audit({ clientId, entities: [{ query: body.disabled ? 'disable' : 'enable' }] });
      const change = { ...body, ...principal };
      const changed = await answered(services.clients.setDisabled(clientId, change, { requestId }));
      if (!changed) throw notFound('client');
      return changed;
    },
  );
}
