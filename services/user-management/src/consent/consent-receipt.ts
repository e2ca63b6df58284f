import {
  type ConsentEnding,
  type ConsentReceipt,
  type ConsentSummary,
  clientMode,
  fhirVersion,
} from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
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
