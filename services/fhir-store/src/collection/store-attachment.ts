import { createHash } from 'node:crypto';
import type { AttachmentDescription, ResourceOutcome } from '@tributary/contracts';
import type { UserRecord } from '@tributary/record-storage';
import type { Pool } from 'pg';
import type { CollectionSource } from './collection-source';
import { storeBatch } from './store-batch';

/**
 * Stores an attachment as a Binary, whose content is uploaded to the object storage while it arrives.
 * @throws what the content throws, and ObjectStorageError; nothing is stored then
 */
export async function storeAttachment(
  record: UserRecord,
  pool: Pool,
  source: CollectionSource,
  { sourceId, mediaType }: AttachmentDescription,
  content: AsyncIterable<Buffer>,
): Promise<ResourceOutcome> {
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const piece of content) {
      hash.update(piece);
      yield piece;
    }
  }
  const base64 = await record.storeContent(hashed());
  const binary = {
    resourceType: 'Binary',
    id: sourceId,
    contentType: mediaType,
    [source.release === 'r4' ? 'data' : 'content']: base64,
  };
  try {
    const { results } = await storeBatch(record, pool, source, [JSON.stringify(binary)], {
      base64,
      digest: hash.digest('hex'),
    });
    return results[0] as ResourceOutcome;
  } finally {
    // It stays when the Binary was written with it. What is left of a failure, the maintenance deletes.
    await record.discardContent(base64).catch(() => undefined);
  }
}
