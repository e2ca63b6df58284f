import { exportCompletion } from '@tributary/contracts';
import { type Api, serviceKeyAuthentication } from '@tributary/service-kit';
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
        if (service_user_id !== undefined) {
          // The lock keeps the user from being deleted until the transaction ends.
          const existing = (await manager.query(
            `SELECT FROM service_user WHERE service_user_id = $1 AND client_id = $2 AND state <> 'deleting' FOR KEY SHARE`,
            [service_user_id, client_id],
          )) as unknown[];
          if (existing.length === 0) return;
        }
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
