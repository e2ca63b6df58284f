import type { ConsentEnding } from '@tributary/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { UserNoLongerActive } from '../users/user-errors';
import type { ConsentReceiptRow } from './consent-receipt';

/*
 * The table of consent receipts. Of a connection, one receipt at most has not ended, and
 * `connection.consent_receipt_id` refers to the last one. Both change under `lockUser`. All times are those of
 * PostgreSQL.
 */

const maxEarlierReceipts = 100;

/**
 * An SQL condition: whether the time of the last consent of a connection has run out.
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
 * Stores the receipt of a consent that replaces the earlier one of the connection, and adds its audit event. To be
 * called in the transaction that sets `connection.consent_receipt_id`; `ConsentEvents` records the event after it.
 * @param seconds for how long the consent is given, default without an end
 */
export async function insertReceipt(
  manager: EntityManager,
  { serviceUserId, clientId }: ConsentSubject,
  receipt: Pick<ConsentReceiptRow, 'receipt_id' | 'connection_id' | 'content_sealed'>,
  seconds: number | undefined,
): Promise<void> {
  await endReceipts(manager, [receipt.connection_id], 'replaced');
  await manager.query(
    `WITH given AS (
       INSERT INTO consent_receipt (receipt_id, connection_id, content_sealed, given_at, expires_at)
       SELECT $1, $2, $3, given_at, given_at + $4::integer * interval '1 second'
       FROM (SELECT clock_timestamp() AS given_at) AS time
       RETURNING receipt_id, connection_id)
     INSERT INTO consent_event (service_user_id, client_id, receipt_id, connection_id)
     SELECT $5, $6, receipt_id, connection_id FROM given`,
    [receipt.receipt_id, receipt.connection_id, receipt.content_sealed, seconds ?? null, serviceUserId, clientId],
  );
}

/**
 * Ends the consents of connections that have not ended, and adds the audit events. A consent that has already expired
 * is recorded as ended by expiry, at its expiry time. To be called in a transaction; `ConsentEvents` records the events
 * after it.
 */
export async function endReceipts(
  manager: EntityManager,
  connectionIds: readonly string[],
  endedBy: ConsentEnding,
): Promise<void> {
  await manager.query(
    `WITH ended AS (
       UPDATE consent_receipt r SET ended_by = CASE WHEN expires_at <= clock_timestamp() THEN 'expiry' ELSE $2 END,
         ended_at = greatest(given_at, least(expires_at, clock_timestamp()))
       FROM connection c WHERE c.connection_id = r.connection_id AND r.connection_id = ANY ($1) AND ended_at IS NULL
       RETURNING r.receipt_id, r.connection_id, r.ended_by, c.client_id, c.service_user_id)
     INSERT INTO consent_event (service_user_id, client_id, receipt_id, connection_id, ended_by)
     SELECT service_user_id, client_id, receipt_id, connection_id, ended_by FROM ended`,
    [connectionIds, endedBy],
  );
}

/** Adds the audit events of the consents of a user that end because the user is deleted. As `endReceipts`. */
export async function endReceiptsOfDeletedUser(manager: EntityManager, serviceUserId: number): Promise<void> {
  await manager.query(
    `INSERT INTO consent_event (service_user_id, client_id, receipt_id, connection_id, ended_by)
     SELECT service_user_id, client_id, receipt_id, connection_id,
       CASE WHEN expires_at <= clock_timestamp() THEN 'expiry' ELSE 'deletion' END
     FROM consent_receipt r JOIN connection c USING (connection_id)
     WHERE service_user_id = $1 AND ended_at IS NULL`,
    [serviceUserId],
  );
}

/** @throws UserNoLongerActive when the user is deleted meanwhile */
export async function findReceipt(database: DataSource, receiptId: string): Promise<ConsentReceiptRow> {
  const [receipt] = (await database.query('SELECT * FROM consent_receipt WHERE receipt_id = $1', [
    receiptId,
  ])) as ConsentReceiptRow[];
  if (!receipt) throw new UserNoLongerActive();
  return receipt;
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
