import { exportCompletion } from '@tributary/contracts';
import { type Api, serviceKeyAuthentication } from '@tributary/service-kit';
import type { EntityManager } from 'typeorm';
import type { Dependencies } from '../dependencies';
import { recordEvent } from './webhook-outbox';

/** The internal API for events of other services; its client is `ExportEventsClient` of contracts. */
export function serveEvents(api: Api, { config, database }: Dependencies): void {
  api.route(
    {
      method: 'post',
      path: '/internal/v1/events/export-completed',
      operationId: 'reportCompletedExport',
      audit: { none: 'analytics-export has recorded the export and its end; each delivery of the event is recorded' },
      summary: 'Report the end of an asynchronous export',
      authentication: serviceKeyAuthentication(config.SERVICE_KEYS, ['analytics-export']),
      body: exportCompletion,
      responses: { 200: { description: 'The event is recorded, now or before; or the user is deleted.' } },
    },
    async ({ body: { client_id, ...data } }) => {
      await database.transaction(async (manager) => {
        const { service_user_id, job_id } = data;
        if (service_user_id !== undefined && !(await lockExistingUser(manager, client_id, service_user_id))) return;
        await recordEvent(
          manager,
          {
            type: 'export.completed',
            clientId: client_id,
            eventId: job_id,
            ...(service_user_id === undefined ? {} : { serviceUserId: service_user_id }),
          },
          data,
        );
      });
      return {};
    },
  );
}

/** Keeps a user from being deleted until the transaction ends. @returns whether the client has this user */
async function lockExistingUser(manager: EntityManager, clientId: string, serviceUserId: number): Promise<boolean> {
  const rows = (await manager.query(
    `SELECT FROM service_user WHERE service_user_id = $1 AND client_id = $2 AND state <> 'deleting' FOR KEY SHARE`,
    [serviceUserId, clientId],
  )) as unknown[];
  return rows.length > 0;
}
