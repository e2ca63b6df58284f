import {
  type ConsentEnding,
  type ConsentReceipt,
  type ConsentSummary,
  clientMode,
  fhirVersion,
} from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';

/** What a user agreed to, as it is sealed. It never changes. */
export const consentContent = z.object({
  client: z.object({ client_id: z.string(), name: z.string(), mode: clientMode }),
  health_system: z.object({ id: z.number(), name: z.string() }),
  fhirVersion,
  fhir_base_url: z.string(),
  types: z.array(z.string()).nullable(),
  scopes_requested: z.array(z.string()),
  scopes_granted: z.array(z.string()),
});
export type ConsentContent = z.infer<typeof consentContent>;

/** A row of `consent_receipt`. */
export interface ConsentReceiptRow {
  receipt_id: string;
  connection_id: string;
  content_sealed: Buffer;
  given_at: Date;
  expires_at: Date | null;
  ended_at: Date | null;
  ended_by: ConsentEnding | null;
}

/** @param key of the user */
export function sealContent(key: DataKey, receiptId: string, content: ConsentContent): Buffer {
  return key.sealText(JSON.stringify(content), associatedData(receiptId));
}

/** @param key of the user @throws UnsealingError when another key sealed the content */
export function openContent(
  key: DataKey,
  { receipt_id, content_sealed }: Pick<ConsentReceiptRow, 'receipt_id' | 'content_sealed'>,
): ConsentContent {
  return consentContent.parse(JSON.parse(key.openText(content_sealed, associatedData(receipt_id))));
}

/** A receipt as the public API returns it. @param key of the user */
export function consentReceiptOf(key: DataKey, row: ConsentReceiptRow): ConsentReceipt {
  const { client, health_system, fhirVersion: release, fhir_base_url, ...agreed } = openContent(key, row);
  return {
    receipt_id: row.receipt_id,
    connection_id: row.connection_id,
    client,
    health_system,
    fhirVersion: release,
    fhir_base_url,
    ...timesOf(row),
    ...agreed,
  };
}

/** A receipt as the entry of its connection shows it. @param key of the user */
export function consentSummaryOf(key: DataKey, row: ConsentReceiptRow): ConsentSummary {
  const { client, types, scopes_requested, scopes_granted } = openContent(key, row);
  return {
    receipt_id: row.receipt_id,
    client_id: client.client_id,
    ...timesOf(row),
    types,
    scopes_requested,
    scopes_granted,
  };
}

/** The scopes of a `scope` parameter, whose values are separated by spaces (RFC 6749, section 3.3). */
export function scopeList(scope: string): string[] {
  return scope.split(/\s+/).filter((value) => value !== '');
}

function timesOf({
  given_at,
  expires_at,
  ended_at,
  ended_by,
}: ConsentReceiptRow): Pick<ConsentSummary, 'given_at' | 'expires_at' | 'ended_at' | 'ended_by'> {
  return {
    given_at: given_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    ...(ended_at && ended_by ? { ended_at: ended_at.toISOString(), ended_by } : {}),
  };
}

function associatedData(receiptId: string): string {
  return `consent_receipt ${receiptId} content`;
}

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

/**
 * Stores the receipt of a consent that replaces the earlier one of the connection, and adds its audit event. To be
 * called in the transaction that sets `connection.consent_receipt_id`; `ConsentEvents` records the event after it.
 * @param seconds for how long the consent is given, default without an end
 */
export async function insertReceipt(
  manager: EntityManager,
  { serviceUserId, clientId }: { serviceUserId: number; clientId: string },
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

/** The receipts of the earlier consents to a connection, newest first: at most 100. */
export function findEarlierReceipts(
  database: DataSource,
  { connection_id, receipt_id }: ConsentReceiptRow,
): Promise<ConsentReceiptRow[]> {
  return database.query(
    `SELECT * FROM consent_receipt WHERE connection_id = $1 AND receipt_id <> $2
     ORDER BY given_at DESC, receipt_id LIMIT $3`,
    [connection_id, receipt_id, maxEarlierReceipts],
  );
}
