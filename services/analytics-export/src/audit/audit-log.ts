import type { Pool } from 'pg';
import type { ExportCaller } from '../callers/export-caller';
import { type ManifestFile, fileFacts } from '../files/manifest-file';

/** Numbers of resources by type and release: `{"Observation r4": 60}`. */
export type ResourceCounts = Record<string, number>;

export type AuditOutcome = 'completed' | 'aborted' | 'refused' | 'failed';

/** An export or a download, before its outcome is known. */
export interface AuditEvent {
  requestId: string;
  action: 'export' | 'asynchronous export' | 'download' | 'cancellation';
  caller: ExportCaller;
  resources?: ResourceCounts;
}

/** An audit event whose outcome is still to be recorded. */
export interface OpenAuditEvent {
  end(outcome: AuditOutcome, facts?: { bytes?: number; resources?: ResourceCounts }): Promise<void>;
}

const insert = `
INSERT INTO audit_event (request_id, action, client_id, service_user_id, resources, outcome, ended_at)
VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $6 = 'started' THEN NULL ELSE clock_timestamp() END) RETURNING audit_event_id`;

const finish = `UPDATE audit_event SET outcome = $2, bytes = $3, resources = coalesce($4, resources), ended_at = clock_timestamp() WHERE audit_event_id = $1`;

/** The limit keeps each statement short. $1 days */
const removeOld = `DELETE FROM audit_event WHERE audit_event_id IN (SELECT audit_event_id FROM audit_event WHERE started_at < now() - $1 * interval '1 day' ORDER BY started_at LIMIT 5000)`;

/**
 * The audit log of exports and downloads (table audit_event): who received whose data, which types, how many resources,
 * and the outcome. No data is sent before its event is recorded. An event that stays `started` was interrupted by
 * the end of the process.
 */
export class AuditLog {
  constructor(private readonly pool: Pool) {}

  /** Records an event together with its outcome. */
  async record(event: AuditEvent, outcome: AuditOutcome): Promise<void> {
    await this.#insert(event, outcome);
  }

  /** Records an event that has started. */
  async begin(event: AuditEvent): Promise<OpenAuditEvent> {
    const id = await this.#insert(event, 'started');
    return {
      end: async (outcome, { bytes, resources } = {}) => {
        await this.pool.query(finish, [id, outcome, bytes ?? null, resources ? JSON.stringify(resources) : null]);
      },
    };
  }

  /** Removes up to 5,000 of the events that started more than this number of days ago. */
  async removeOlderThan(days: number): Promise<void> {
    await this.pool.query(removeOld, [days]);
  }

  async #insert(
    { requestId, action, caller, resources = {} }: AuditEvent,
    outcome: AuditOutcome | 'started',
  ): Promise<string> {
    const { rows } = await this.pool.query<{ audit_event_id: string }>(insert, [
      requestId,
      action,
      caller.clientId,
      caller.serviceUserId ?? null,
      JSON.stringify(resources),
      outcome,
    ]);
    return rows[0]!.audit_event_id;
  }
}

/** The resources in these files, counted. */
export function countsOf(files: readonly ManifestFile[]): ResourceCounts {
  const counts: ResourceCounts = {};
  for (const { type, release, count } of files.map(fileFacts))
    counts[`${type} ${release}`] = (counts[`${type} ${release}`] ?? 0) + count;
  return counts;
}
