import type { AuditTrail, NewAuditEvent } from '@tributary/audit-log';
import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { repeatFullBatches } from '../database/changed-rows';

const batchSize = 100;

/** A row of `consent_event`. */
interface ConsentEventRow {
  event_id: string;
  at: Date;
  service_user_id: string;
  client_id: string;
  receipt_id: string;
  connection_id: string;
  /** Null: the consent was given. */
  ended_by: string | null;
}

const findUnrecorded = `
SELECT event_id, at, service_user_id, client_id, receipt_id, connection_id, ended_by
FROM consent_event ORDER BY event_id LIMIT $1 FOR UPDATE SKIP LOCKED`;

/**
 * The audit events of consents. The transaction that changes a consent adds its events to the table `consent_event`, so
 * there is one for each change that is committed and none for others. They are recorded after the commit, and again
 * when the process ended in between.
 */
export class ConsentEvents {
  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditTrail,
    private readonly log: Logger,
  ) {}

  /**
   * Records the events that are not recorded yet. A failure is logged: the events stay in the table, and the next call
   * records them. Another replica may record some of them meanwhile.
   */
  async record(): Promise<void> {
    try {
      await repeatFullBatches(batchSize, () => this.#recordSome());
    } catch (error) {
      this.log.warn({ err: describeError(error) }, 'events of consents are not recorded yet');
    }
  }

  #recordSome(): Promise<unknown[]> {
    return this.database.transaction(async (manager) => {
      const rows = (await manager.query(findUnrecorded, [batchSize])) as ConsentEventRow[];
      await Promise.all(rows.map((row) => this.audit.record(auditEventOf(row))));
      if (rows.length > 0)
        await manager.query('DELETE FROM consent_event WHERE event_id = ANY ($1)', [
          rows.map(({ event_id }) => event_id),
        ]);
      return rows;
    });
  }
}

/** What has ended a consent is the query of the event: an entity has no other text. */
function auditEventOf(row: ConsentEventRow): NewAuditEvent {
  const { ended_by: endedBy } = row;
  return {
    ...(endedBy === null ? { kind: 'consent.given', action: 'C' } : { kind: 'consent.ended', action: 'U' }),
    outcome: 'success',
    at: row.at.getTime(),
    agent: { clientId: row.client_id },
    subject: Number(row.service_user_id),
    entities: [
      { type: 'ConsentReceipt', id: row.receipt_id, ...(endedBy === null ? {} : { query: endedBy }) },
      { type: 'Connection', id: row.connection_id },
    ],
  };
}
