import { Readable } from 'node:stream';
import { type JsonObject, type JsonValue, isJsonObject } from '@tributary/fhir-json';
import type { UserRecord } from '@tributary/record-storage';
import { maxInlineBytes } from '../fhir-http/limits';

/** The characters in base64 above which content is stored apart. */
const maxInlineCharacters = Math.ceil(maxInlineBytes / 3) * 4;

/**
 * A Binary whose large content is in the object storage, when one is configured: its base64Binary then stands for the
 * content. Everything else, also a text that is no base64 or in another form, is returned as it is.
 * @throws ObjectStorageError, RecordDestroyedError
 */
export async function withStoredContent<T extends JsonValue | undefined>(
  record: Pick<UserRecord, 'storesContent' | 'storeContent'>,
  value: T,
): Promise<T> {
  if (!record.storesContent || !isJsonObject(value) || value['resourceType'] !== 'Binary') return value;
  const member = typeof value['data'] === 'string' ? 'data' : 'content';
  const text = value[member];
  if (typeof text !== 'string' || text.length <= maxInlineCharacters) return value;
  const content = Buffer.from(text, 'base64');
  if (content.toString('base64') !== text) return value;
  return { ...(value as JsonObject), [member]: await record.storeContent(Readable.from([content])) } as JsonObject & T;
}
