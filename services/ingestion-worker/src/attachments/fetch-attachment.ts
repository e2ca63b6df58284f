import type { CollectionWarningCode, FhirVersion } from '@tributary/contracts';
import type { HealthSystemClient } from '../health-system/health-system-client';
import { acceptHeader } from '../health-system/media-types';
import { HealthSystemRequestFailed, ResponseTooLarge } from '../health-system/request-failures';
import type { Reservation } from '../health-system/response-memory-budget';
import { type AttachedBinary, attachedBinary } from './binary';

/** The size of a Binary resource relative to its content: base64 (4/3) and the other elements. */
const binaryOverhead = 1.4;

export type FetchedAttachment =
  { ok: true; binary: AttachedBinary } | { ok: false; code: CollectionWarningCode; reason: string; status?: number };

/**
 * Fetches an attachment from its health system. A Binary resource is preferred, as JSON that is cut short is noticed;
 * servers that answer with the raw content are supported (https://hl7.org/fhir/R4/binary.html#rest).
 * @param reference `Binary/{id}` of the source, or a URL at the source's origin
 * @param maxBytes of the content
 * @param headers conditions of the request
 * @param reservation kept until the caller has stored the attachment
 * @returns the Binary, or why there is none and a retry would not help
 * @throws HealthSystemRequestFailed when a later attempt may succeed
 */
export async function fetchAttachment(
  client: HealthSystemClient,
  release: FhirVersion,
  reference: string,
  maxBytes: number,
  reservation: Reservation,
  headers: Record<string, string> = {},
): Promise<FetchedAttachment> {
  const url = client.urlOf(reference);
  if (!client.isSameOrigin(url))
    return { ok: false, code: 'attachment_at_other_host', reason: 'an attachment is at another host' };
  const [, id] = /^Binary\/([^/?#]+)$/.exec(reference) ?? [];
  const tooLarge = {
    ok: false as const,
    code: 'attachment_too_large' as const,
    reason: `an attachment is larger than ${Math.floor(maxBytes / 1_000_000)} MB`,
  };
  try {
    const result = await client.get(url, {
      headers,
      accept: [`${acceptHeader[release]}, */*;q=0.5`, '*/*'],
      maxBytes: Math.ceil(maxBytes * binaryOverhead),
      sizeLabel: 'Binary',
      reservation,
      read: (body, headers) => attachedBinary(release, id ?? reference, headers['content-type'], body),
    });
    if (!result.ok) {
      const code = result.status === 404 || result.status === 410 ? 'attachment_not_found' : 'attachment_refused';
      return { ok: false, code, reason: `an attachment was refused with ${result.status}`, status: result.status };
    }
    return result.value.bytes > maxBytes ? tooLarge : { ok: true, binary: result.value };
  } catch (error) {
    if (error instanceof ResponseTooLarge) return tooLarge;
    if (error instanceof HealthSystemRequestFailed && error.isPermanent)
      return {
        ok: false,
        code: 'attachment_failed',
        reason: `an attachment could not be fetched: the health system ${error.message}`,
      };
    throw error;
  }
}
