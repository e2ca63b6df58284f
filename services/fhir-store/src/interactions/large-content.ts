import { Readable } from 'node:stream';
import { type JsonObject, type JsonValue, isJsonObject } from '@tributary/fhir-json';
import type { UserRecord } from '@tributary/record-storage';
import { maxInlineBytes } from '../fhir-http/limits';

type ContentRecord = Pick<UserRecord, 'storesContent' | 'storeContent' | 'discardContent'>;

/** The characters in base64 above which content is stored apart. */
const maxInlineCharacters = Math.ceil(maxInlineBytes / 3) * 4;

/**
 * Does work that writes resources. The large content of a Binary among them is uploaded to the object storage before,
 * when one is configured: the resource that the work gets has what stands for it. Content that the work does not write
 * is deleted. Everything else, also a text that is no base64 or in another form, stays as it is.
 * @throws ObjectStorageError, RecordDestroyedError, and what the work throws
 */
export async function storingContent<T>(
  record: ContentRecord,
  resources: readonly (JsonValue | undefined)[],
  work: (stored: readonly (JsonValue | undefined)[]) => Promise<T>,
): Promise<T> {
  const uploaded: string[] = [];
  try {
    const stored: (JsonValue | undefined)[] = [];
    for (const resource of resources) {
      const large = record.storesContent ? largeContentOf(resource) : undefined;
      if (large) {
        const base64 = await record.storeContent(Readable.from([large.content]));
        uploaded.push(base64);
        stored.push({ ...large.binary, [large.member]: base64 });
      } else stored.push(resource);
    }
    return await work(stored);
  } finally {
    // A version keeps what refers to it. What is left of a failure, the maintenance deletes.
    for (const base64 of uploaded) void record.discardContent(base64).catch(() => undefined);
  }
}

interface LargeContent {
  readonly binary: JsonObject;
  readonly member: 'data' | 'content';
  readonly content: Buffer;
}

function largeContentOf(resource: JsonValue | undefined): LargeContent | undefined {
  if (!isJsonObject(resource) || resource['resourceType'] !== 'Binary') return undefined;
  const member = typeof resource['data'] === 'string' ? 'data' : 'content';
  const text = resource[member];
  if (typeof text !== 'string' || text.length <= maxInlineCharacters) return undefined;
  const content = Buffer.from(text, 'base64');
  return content.toString('base64') === text ? { binary: resource, member, content } : undefined;
}
