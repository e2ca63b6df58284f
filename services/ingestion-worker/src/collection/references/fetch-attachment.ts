import type { CollectionWarningCode } from '@tributary/contracts';
import type { HealthSystemClient, ReadResult } from '../../health-system/health-system-client';
import { acceptHeader } from '../../health-system/media-types';
import { HealthSystemRequestFailed, RedirectToOtherHost, ResponseTooLarge } from '../../health-system/request-failures';
import type { Reservation } from '../../health-system/response-memory-budget';
import { type AttachedContent, attachedContent } from './attached-content';
import { type AttachedBinary, type AttachmentSource, attachedBinary, isJson } from './binary';

/** The size of a Binary resource relative to its content: base64 (4/3) and the other elements. */
const binaryOverhead = 1.4;
/** The largest content that is held in memory, and stored in a batch. */
const maxHeldBytes = 20_000_000;

export type FetchedAttachment =
  | { ok: true; warning?: string }
  | { ok: false; code: CollectionWarningCode; reason: string; status?: number };

export interface AttachmentTransfer {
  /** Larger attachments are not stored. */
  maxBytes: number;
  /** Conditions of the request. */
  headers?: Record<string, string>;
  /** Kept until the attachment is stored. */
  reservation: Reservation;
  /**
   * Stores an attachment. Content is taken while it arrives; an attempt that failed with an error of the content may be
   * followed by another one.
   * @returns false when the record does not take an attachment of this size
   */
  store(attachment: AttachedBinary | AttachedContent): Promise<boolean>;
}

const atOtherHost: FetchedAttachment = {
  ok: false,
  code: 'attachment_at_other_host',
  reason: 'an attachment is at another host',
};

function tooLarge(than: string): FetchedAttachment {
  return { ok: false, code: 'attachment_too_large', reason: `an attachment is larger than ${than}` };
}

/**
 * Fetches an attachment from its health system, and stores it. A Binary resource is preferred, as JSON that is cut
 * short is noticed; servers that answer with the raw content are supported
 * (https://hl7.org/fhir/R4/binary.html#rest).
 * An address that begins with a slash belongs to the origin of the source; some sources mean one below the FHIR base.
 * @param reference `Binary/{id}` of the source, a URL at the source's origin, or one that begins with a slash
 * @returns why it is not stored and a retry would not help, if it is not
 * @throws HealthSystemRequestFailed when a later attempt may succeed
 */
export async function fetchAttachment(
  client: HealthSystemClient,
  reference: string,
  { maxBytes, headers = {}, reservation, store }: AttachmentTransfer,
): Promise<FetchedAttachment> {
  const { release } = client;
  const url = client.urlOf(reference);
  if (!client.isSameOrigin(url)) return atOtherHost;
  const [, id] = /^Binary\/([^/?#]+)$/.exec(reference) ?? [];
  const source: AttachmentSource = id === undefined ? { url: reference } : { binaryId: id };
  try {
    const read = (address: string): Promise<ReadResult<AttachedBinary | StoredContent>> =>
      client.get<AttachedBinary | StoredContent>(address, {
        headers,
        accept: [`${acceptHeader[release]}, */*;q=0.5`, '*/*'],
        maxBytes: maxHeldBytes * binaryOverhead,
        // The image of an empty page shrinks to a thousandth.
        maxExpansion: Infinity,
        sizeLabel: 'Binary',
        reservation,
        read: (body, headers) => attachedBinary(release, source, headers['content-type'], body),
        large: {
          maxBytes: Math.ceil(maxBytes * binaryOverhead),
          aboveBytes: (headers) => maxHeldBytes * (isJson(headers['content-type']) ? binaryOverhead : 1),
          read: async (body, headers) => {
            // Known in advance: nothing is sent to the record.
            if (!isJson(headers['content-type']) && Number(headers['content-length']) > maxBytes)
              throw new ResponseTooLarge(maxBytes);
            const attachment = await attachedContent(source, headers['content-type'], body, maxBytes);
            return { isStored: await store(attachment), warning: attachment.warning };
          },
        },
      });
    let result = await read(url);
    if (!result.ok && reference.startsWith('/')) result = await read(client.urlOf(`.${reference}`));
    if (!result.ok) {
      const code = result.status === 404 || result.status === 410 ? 'attachment_not_found' : 'attachment_refused';
      return { ok: false, code, reason: `an attachment was refused with ${result.status}`, status: result.status };
    }
    const { value } = result;
    if ('bytes' in value && value.bytes > maxBytes) return tooLarge(megabytes(maxBytes));
    const isStored = 'bytes' in value ? await store(value) : value.isStored;
    if (!isStored) return tooLarge('the record takes');
    return { ok: true, ...(value.warning === undefined ? {} : { warning: value.warning }) };
  } catch (error) {
    if (error instanceof ResponseTooLarge) return tooLarge(megabytes(maxBytes));
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

/** What became of content that was taken while it arrived. */
interface StoredContent {
  isStored: boolean;
  warning: string | undefined;
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}
