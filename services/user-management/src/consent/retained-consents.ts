import type { ConsentEnding, ConsentReceipt } from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import type { DataSource, EntityManager } from 'typeorm';
import { deleteInBatches } from '../database/changed-rows';
import { type DataKeys, unlessUnreadable } from '../database/data-keys';
import { type ConsentContent, type ConsentReceiptRow, openContent, sealContent } from './consent-receipts';

/** An authorization is kept for six years after it was last in effect (45 CFR 164.530(j)), with leap days. */
const consentRetentionDays = 6 * 366;

/**
 * Keeps the receipts of a user who is deleted. Their content names applications and health systems, and no person: the
 * user is known by the `service_user_id`, which is never used again. A consent in force ends with the user. To be
 * called in the transaction that deletes the connections.
 */
export async function retainReceipts(
  manager: EntityManager,
  { ofUser, ofRetainedConsents }: { ofUser: DataKey; ofRetainedConsents: DataKey },
  serviceUserId: number,
): Promise<void> {
  const receipts = (await manager.query(
    'SELECT receipt_id, content_sealed FROM consent_receipt JOIN connection USING (connection_id) WHERE service_user_id = $1',
    [serviceUserId],
  )) as Pick<ConsentReceiptRow, 'receipt_id' | 'content_sealed'>[];
  await manager.query(
    `INSERT INTO retained_consent (service_user_id, receipt_id, client_id, content_sealed, given_at, expires_at, ended_at,
       ended_by)
     SELECT $1, receipt_id, client_id, resealed, given_at, r.expires_at,
       coalesce(ended_at, greatest(given_at, least(r.expires_at, clock_timestamp()))),
       coalesce(ended_by, CASE WHEN r.expires_at <= clock_timestamp() THEN 'expiry' ELSE 'deletion' END)
     FROM unnest($2::uuid[], $3::bytea[]) AS kept (receipt_id, resealed)
       JOIN consent_receipt r USING (receipt_id) JOIN connection c USING (connection_id)`,
    [
      serviceUserId,
      receipts.map(({ receipt_id }) => receipt_id),
      // Null for a content that cannot be opened: it does not keep its user from being deleted.
      receipts.map(
        (row) =>
          unlessUnreadable(() => sealContent(ofRetainedConsents, row.receipt_id, openContent(ofUser, row))) ?? null,
      ),
    ],
  );
}

/** A consent of a user who is deleted. */
export interface RetainedConsent extends Pick<ConsentReceipt, 'receipt_id' | 'given_at' | 'expires_at'> {
  client_id: string;
  ended_at: string;
  ended_by: ConsentEnding | 'deletion';
  /** Absent when it could not be opened. */
  content?: ConsentContent;
}

interface RetainedRow extends Pick<ConsentReceiptRow, 'receipt_id' | 'given_at' | 'expires_at'> {
  client_id: string;
  content_sealed: Buffer | null;
  ended_at: Date;
  ended_by: RetainedConsent['ended_by'];
}

/** The consents of a user who is deleted, oldest first. */
export async function listRetainedConsents(
  database: DataSource,
  keys: DataKeys,
  serviceUserId: number,
): Promise<RetainedConsent[]> {
  const rows = (await database.query(
    'SELECT * FROM retained_consent WHERE service_user_id = $1 ORDER BY given_at, receipt_id',
    [serviceUserId],
  )) as RetainedRow[];
  const key = await keys.of('retained-consents');
  return rows.map(({ content_sealed, ...row }) => ({
    receipt_id: row.receipt_id,
    client_id: row.client_id,
    given_at: row.given_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    ended_at: row.ended_at.toISOString(),
    ended_by: row.ended_by,
    ...(content_sealed ? { content: openContent(key, { ...row, content_sealed }) } : {}),
  }));
}

/** Deletes the consents whose time is over. */
export function deleteOldConsents(database: DataSource): Promise<void> {
  const condition = `ended_at < now() - $1 * interval '1 day'`;
  return deleteInBatches(database, { table: 'retained_consent', key: 'receipt_id', condition }, [consentRetentionDays]);
}
