import { z } from 'zod';
import { clientId, serviceUserId } from '../identifiers';

/**
 * How an asynchronous export ended: with a manifest, or with an error. A job that the caller has deleted is not
 * reported.
 */
export const exportOutcome = z.enum(['completed', 'failed']);

/**
 * Body of `POST /internal/v1/events/export-completed`: an asynchronous export has ended. User management sends the
 * event `export.completed` to the webhook endpoints of the client. The report of a job may be repeated: there is one
 * event per `job_id`.
 */
export const exportCompletion = z.object({
  client_id: clientId,
  service_user_id: serviceUserId.optional().describe('Absent when the export covers all users of the client.'),
  job_id: z.uuid().describe('The id of the job, as in the URL of its status.'),
  transaction_time: z.iso
    .datetime()
    .optional()
    .describe('`transactionTime` of the manifest. Absent when the export failed before its snapshot was taken.'),
  outcome: exportOutcome,
});
export type ExportCompletion = z.infer<typeof exportCompletion>;
