import type { AuditTrail, NewAuditEvent } from '@tributary/audit-log';
import type { ConsentEnding } from '@tributary/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import type { ConsentReceiptRow } from './consent-receipt';

/*
 * The table of consent receipts. Of a connection, one receipt at most has not ended, and
 * `connection.consent_receipt_id` refers to the last one. Both change under `lockUser`. All times are those of
 * PostgreSQL.
 */

const maxEarlierReceipts = 100;

/**
 * An SQL condition: whether the time of the last consent of a connection has run out. A connection without a receipt
 * has no end.
 * @param connection the name or alias of the table in the statement
 */
export function isConsentExpired(connection: string): string {
  return `EXISTS (SELECT FROM consent_receipt r
    WHERE r.receipt_id = ${connection}.consent_receipt_id AND r.ended_at IS NULL AND r.expires_at <= now())`;
}

/** Whose consent it is. */
interface ConsentSubject {
  serviceUserId: number;
  clientId: string;
}

/**
 * Stores the receipt of a consent that replaces the earlier one of the connection. To be called in the transaction that
 * sets `connection.consent_receipt_id`. The audit event is recorded before the commit: it is repeated when the commit
 * fails, and never missing.
 * @param terms when the consent was given, default now; and for how many seconds, default without an end
 * @throws AuditUnavailable
 */
export async function insertReceipt(
  manager: EntityManager,
  audit: AuditTrail,
  subject: ConsentSubject,
  receipt: Pick<ConsentReceiptRow, 'receipt_id' | 'connection_id' | 'content_sealed'>,
  { givenAt, seconds }: { givenAt?: Date; seconds?: number | undefined },
): Promise<void> {
  await endReceipts(manager, audit, [receipt.connection_id], 'replaced');
  await manager.query(
    `INSERT INTO consent_receipt (receipt_id, connection_id, content_sealed, given_at, expires_at)
     SELECT $1, $2, $3, given_at, given_at + $4::integer * interval '1 second'
     FROM (SELECT coalesce($5::timestamptz, clock_timestamp()) AS given_at) AS time`,
    [receipt.receipt_id, receipt.connection_id, receipt.content_sealed, seconds ?? null, givenAt ?? null],
  );
  await audit.record(consentEvent('consent.given', 'C', subject, receipt));
}

/**
 * Ends the consents of connections that have not ended, and records it in the audit log. One whose time had run out
 * before has ended at that time, and by it.
 * @throws AuditUnavailable
 */
export async function endReceipts(
  manager: EntityManager,
  audit: AuditTrail,
  connectionIds: readonly string[],
  endedBy: ConsentEnding,
): Promise<void> {
  const ended = await changedRows<
    Pick<ConsentReceiptRow, 'receipt_id' | 'connection_id'> & {
      ended_by: ConsentEnding;
      client_id: string;
      service_user_id: string;
    }
  >(
    manager,
    `UPDATE consent_receipt r SET ended_by = CASE WHEN expires_at <= clock_timestamp() THEN 'expiry' ELSE $2 END,
       ended_at = greatest(given_at, least(expires_at, clock_timestamp()))
     FROM connection c WHERE c.connection_id = r.connection_id AND r.connection_id = ANY ($1) AND ended_at IS NULL
     RETURNING r.receipt_id, r.connection_id, r.ended_by, c.client_id, c.service_user_id`,
    [connectionIds, endedBy],
  );
  for (const receipt of ended) {
    const subject = { serviceUserId: Number(receipt.service_user_id), clientId: receipt.client_id };
    await audit.record(consentEvent('consent.ended', 'U', subject, receipt));
  }
}

/** What has ended a consent is the query of the event: an entity has no other text. */
function consentEvent(
  kind: 'consent.given' | 'consent.ended',
  action: 'C' | 'U',
  { serviceUserId, clientId }: ConsentSubject,
  {
    receipt_id,
    connection_id,
    ended_by,
  }: Pick<ConsentReceiptRow, 'receipt_id' | 'connection_id'> & { ended_by?: ConsentEnding },
): NewAuditEvent {
  return {
    kind,
    action,
    outcome: 'success',
    agent: { clientId },
    subject: serviceUserId,
    entities: [
      { type: 'ConsentReceipt', id: receipt_id, ...(ended_by ? { query: ended_by } : {}) },
      { type: 'Connection', id: connection_id },
    ],
  };
}

/** The receipts with these ids. */
export function findReceipts(database: DataSource, receiptIds: readonly string[]): Promise<ConsentReceiptRow[]> {
  return database.query('SELECT * FROM consent_receipt WHERE receipt_id = ANY ($1)', [receiptIds]);
}

/** The receipts of the earlier consents to a connection, newest first: at most 100. */
export function findEarlierReceipts(
  database: DataSource,
  connectionId: string,
  lastReceiptId: string,
): Promise<ConsentReceiptRow[]> {
  return database.query(
    `SELECT * FROM consent_receipt WHERE connection_id = $1 AND receipt_id <> $2
     ORDER BY given_at DESC, receipt_id LIMIT $3`,
    [connectionId, lastReceiptId, maxEarlierReceipts],
  );
}
