import type { FhirVersion } from '@tributary/contracts';
import type { AnswerRoom } from '../health-system/answer-budget';
import type { HealthSystemClient } from '../health-system/health-system-client';
import { AnswerTooLarge, HealthSystemUnreachable } from '../health-system/health-system-unreachable';
import { acceptOf } from '../health-system/media-types';
import { type AttachedBinary, attachedBinary } from './binary';

/** What a Binary around the content adds: base64, and its other elements. */
const wrapping = 1.4;

export type FetchedAttachment = { ok: true; binary: AttachedBinary } | { ok: false; reason: string };

/**
 * Fetches an attachment from its health system. A Binary is preferred, as it cannot be cut short unnoticed; a server that gives the content itself is understood too.
 * @param reference `Binary/{id}` of the source, or an address at the source's origin
 * @param room held until the attachment is stored
 * @throws HealthSystemUnreachable when what may pass did not
 */
export async function fetchAttachment(
  client: HealthSystemClient,
  release: FhirVersion,
  reference: string,
  mostBytes: number,
  room: AnswerRoom,
): Promise<FetchedAttachment> {
  const url = client.addressOf(reference);
  if (!client.isOwn(url)) return { ok: false, reason: 'an attachment lies at another host' };
  const [, id] = /^Binary\/([^/?#]+)$/.exec(reference) ?? [];
  const tooLarge = {
    ok: false as const,
    reason: `an attachment is larger than ${Math.floor(mostBytes / 1_000_000)} MB`,
  };
  try {
    const answer = await client.get(url, {
      accept: [`${acceptOf[release]}, */*;q=0.5`, '*/*'],
      mostBytes: Math.ceil(mostBytes * wrapping),
      kind: 'Binary',
      room,
      read: (body, headers) => attachedBinary(release, id ?? reference, headers['content-type'], body),
    });
    if (!answer.ok) return { ok: false, reason: `an attachment was refused with ${answer.status}` };
    return answer.value.bytes > mostBytes ? tooLarge : { ok: true, binary: answer.value };
  } catch (error) {
    if (error instanceof AnswerTooLarge) return tooLarge;
    if (error instanceof HealthSystemUnreachable && error.lasting)
      return { ok: false, reason: `an attachment could not be fetched: the health system ${error.message}` };
    throw error;
  }
}
