import type { CollectionWarningCode } from '@tributary/contracts';
import type { HealthSystemClient, ReadResult } from '../../health-system/health-system-client';
import { acceptHeader } from '../../health-system/media-types';
import { HealthSystemRequestFailed, RedirectToOtherHost, ResponseTooLarge } from '../../health-system/request-failures';
import type { Reservation } from '../../health-system/response-memory-budget';
import { type AttachedBinary, attachedBinary } from './binary';

/** The size of a Binary resource relative to its content: base64 (4/3) and the other elements. */
const binaryOverhead = 1.4;

export type FetchedAttachment =
  | { ok: true; binary: AttachedBinary }
  | { ok: false; code: CollectionWarningCode; reason: string; status?: number };

const atOtherHost: FetchedAttachment = {
  ok: false,
  code: 'attachment_at_other_host',
  reason: 'an attachment is at another host',
};

/**
 * Fetches an attachment from its health system. A Binary resource is preferred, as JSON that is cut short is noticed;
 * servers that answer with the raw content are supported (https://hl7.org/fhir/R4/binary.html#rest).
 * An address that begins with a slash belongs to the origin of the source; some sources mean one below the FHIR base.
 * @param reference `Binary/{id}` of the source, a URL at the source's origin, or one that begins with a slash
 * @param maxBytes of the content
 * @param headers conditions of the request
 * @param reservation kept until the caller has stored the attachment
 * @returns the Binary, or why there is none and a retry would not help
 * @throws HealthSystemRequestFailed when a later attempt may succeed
 */
export async function fetchAttachment(
  client: HealthSystemClient,
  reference: string,
  maxBytes: number,
  reservation: Reservation,
  headers: Record<string, string> = {},
): Promise<FetchedAttachment> {
  const { release } = client;
  const url = client.urlOf(reference);
  if (!client.isSameOrigin(url)) return atOtherHost;
  const [, id] = /^Binary\/([^/?#]+)$/.exec(reference) ?? [];
  const tooLarge = {
    ok: false as const,
    code: 'attachment_too_large' as const,
    reason: `an attachment is larger than ${Math.floor(maxBytes / 1_000_000)} MB`,
  };
  try {
    const read = (address: string): Promise<ReadResult<AttachedBinary>> =>
      client.get(address, {
        headers,
        accept: [`${acceptHeader[release]}, */*;q=0.5`, '*/*'],
        maxBytes: Math.ceil(maxBytes * binaryOverhead),
        // The image of an empty page shrinks to a thousandth.
        maxExpansion: Infinity,
        sizeLabel: 'Binary',
        reservation,
        read: (body, headers) =>
          attachedBinary(
            release,
            id === undefined ? { url: reference } : { binaryId: id },
            headers['content-type'],
            body,
          ),
      });
    let result = await read(url);
    if (!result.ok && reference.startsWith('/')) result = await read(client.urlOf(`.${reference}`));
    if (!result.ok) {
      const code = result.status === 404 || result.status === 410 ? 'attachment_not_found' : 'attachment_refused';
      return { ok: false, code, reason: `an attachment was refused with ${result.status}`, status: result.status };
    }
    return result.value.bytes > maxBytes ? tooLarge : { ok: true, binary: result.value };
  } catch (error) {
    if (error instanceof ResponseTooLarge) return tooLarge;
    if (error instanceof RedirectToOtherHost) return atOtherHost;
    if (error instanceof HealthSystemRequestFailed && error.isPermanent)
      return {
        ok: false,
        code: 'attachment_failed',
        reason: `an attachment could not be fetched: the health system ${error.message}`,
      };
    throw error;
  }
}
