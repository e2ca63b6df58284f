import { randomBytes } from 'node:crypto';
import { ObjectMissingError, ObjectStorageError } from '@tributary/object-storage';
import { UnsealingError } from '@tributary/key-vault';
import { gunzipSync } from 'node:zlib';
import { MemoryObjects } from '../../test/memory-objects';
import { type TestStorage, bytesOf, content, linesOf, newId, openTestStorage } from '../../test/storage';
import { RecordDestroyedError } from '../errors';
import { planExport } from '../export/plan';
import { readBinary } from '../export/read-binary';
import { snapshotTime } from '../export/snapshot-time';
import { streamFile } from '../export/stream-file';
import { RecordStorage } from '../record-storage';
import { typeCodeOf } from '../type-codes';
import type { UserRecord } from '../user-record';
import { SEGMENT_BYTES } from './sealed-segments';

const BINARY = typeCodeOf('r4', 'Binary');
const objects = new MemoryObjects();
let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage({ objects, partitions: 2 });
});
afterAll(() => test.close());
beforeEach(() => {
  objects.objects.clear();
  objects.isDown = false;
});

/** Content in pieces that are no multiples of anything. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 77_777) yield await Promise.resolve(bytes.subarray(at, at + 77_777));
}

const binary = (data: string): ReturnType<typeof content> =>
  content(`"contentType":"application/pdf","data":"${data}"`);

async function stored(record: UserRecord, bytes: Buffer): Promise<{ id: string; data: string; json: Buffer }> {
  const data = await record.storeContent(inPieces(bytes));
  const { id, json } = await record.create(BINARY, newId(), binary(data));
  return { id, data, json };
}

const whole = async (record: UserRecord, json: Buffer | undefined): Promise<string> => {
  const found = await record.wholeJson(json as Buffer);
  if (!found) return String(json);
  const bytes = await bytesOf(found.pieces());
  expect(bytes.length).toBe(found.length);
  return bytes.toString('utf8');
};

const rows = async (): Promise<{ attached: boolean }[]> =>
  (await test.pool.query<{ attached: boolean }>('SELECT attached FROM fhir_store.content_object')).rows;

describe.each([0, 1, 2, 3, SEGMENT_BYTES - 1, SEGMENT_BYTES, SEGMENT_BYTES + 1, 2 * SEGMENT_BYTES + 12_345])(
  'content of %i bytes',
  (length) => {
    it('is read as it was stored, also in parts', async () => {
      const record = test.newRecord();
      const bytes = randomBytes(length);
      const { id, data } = await stored(record, bytes);
      expect(Buffer.from(data, 'base64').toString('base64')).toBe(data);
      const json = (await record.read(BINARY, id))?.json;
      expect(json?.includes(`"data":"${data}"`)).toBe(true);
      expect(await whole(record, json)).toBe(String(json).replace(data, bytes.toString('base64')));
      const object = await record.contentOf(data);
      expect(object?.length).toBe(length);
      for (const [start, end] of [
        [0, length],
        [1, length],
        [length - 1, length],
        [SEGMENT_BYTES - 1, SEGMENT_BYTES + 1],
      ]) {
        const [from, to] = [Math.max(0, start as number), Math.min(length, end as number)];
        expect((await bytesOf(object!.bytes(from, to))).equals(bytes.subarray(from, Math.max(from, to)))).toBe(true);
      }
    });
  },
);

it('reads only the segments of a part', async () => {
  const record = test.newRecord();
  const { data } = await stored(record, randomBytes(10 * SEGMENT_BYTES));
  objects.bytesRead = 0;
  const object = await record.contentOf(data);
  await bytesOf(object!.bytes(5 * SEGMENT_BYTES + 7, 5 * SEGMENT_BYTES + 9));
  expect(objects.bytesRead).toBeLessThan(SEGMENT_BYTES + 100);
});

it('is encrypted: neither content nor order of segments can be changed unnoticed', async () => {
  const record = test.newRecord();
  const bytes = Buffer.alloc(3 * SEGMENT_BYTES, 'clinical');
  const { data } = await stored(record, bytes);
  const [[key, sealed] = ['', Buffer.alloc(0)]] = [...objects.objects];
  expect(sealed.includes('clinical')).toBe(false);
  const third = sealed.length / 3;
  const swapped = Buffer.concat([
    sealed.subarray(third, 2 * third),
    sealed.subarray(0, third),
    sealed.subarray(2 * third),
  ]);
  for (const [changed, error] of [
    [swapped, UnsealingError],
    [Buffer.concat([sealed.subarray(0, -1), Buffer.of((sealed.at(-1) as number) ^ 1)]), UnsealingError],
    [sealed.subarray(0, -5), UnsealingError],
    [sealed.subarray(0, 2 * third), ObjectMissingError],
    [undefined, ObjectMissingError],
  ] as const) {
    if (changed) objects.objects.set(key, changed);
    else objects.objects.delete(key);
    const object = await record.contentOf(data);
    await expect(bytesOf(object!.bytes(0, bytes.length))).rejects.toThrow(error);
  }
});

it('is not found by the reference of another record, nor by one that a client makes', async () => {
  const [record, other] = [test.newRecord(), test.newRecord()];
  const { data, json } = await stored(record, randomBytes(1000));
  await other.create(BINARY, newId(), binary('AAAA'));
  expect(await other.contentOf(data)).toBeUndefined();
  expect(await other.wholeJson(json)).toBeUndefined();
  // It is content like any other, and stays what it is.
  const copy = await other.create(BINARY, newId(), binary(data));
  expect(await whole(other, copy.json)).toBe(String(copy.json));
});

it('is kept by all versions that refer to it, and by a deleted resource', async () => {
  const record = test.newRecord();
  const bytes = randomBytes(100);
  const { id, data } = await stored(record, bytes);
  await record.update(BINARY, id, content(`"contentType":"image/png","data":"${data}"`), 1);
  await record.update(BINARY, id, binary('AAAA'));
  await record.delete(BINARY, id);
  await test.storage.deleteAbandonedContent();
  for (const version of [1, 2])
    expect(await whole(record, (await record.readVersion(BINARY, id, version))?.json)).toContain(
      bytes.toString('base64'),
    );
});

describe('what is uploaded in vain', () => {
  const abandon = (): Promise<unknown> =>
    test.pool.query('UPDATE fhir_store.content_object SET created_at = created_at - 90000000');

  it('is deleted a day later, and cannot be written any more', async () => {
    const record = test.newRecord();
    const data = await record.storeContent(inPieces(randomBytes(10)));
    expect(await test.storage.deleteAbandonedContent()).toBe(0);
    await abandon();
    objects.isDown = true;
    await expect(test.storage.deleteAbandonedContent()).rejects.toThrow(ObjectStorageError);
    objects.isDown = false;
    expect(await test.storage.deleteAbandonedContent()).toBe(1);
    expect(objects.objects.size).toBe(0);
    await expect(record.create(BINARY, newId(), binary(data))).rejects.toThrow(ObjectMissingError);
  });

  it('is deleted although others are not', async () => {
    const record = test.newRecord();
    for (let n = 0; n < 3; n++) await record.storeContent(inPieces(randomBytes(10)));
    const [held = ''] = objects.objects.keys();
    objects.held.add(held);
    await abandon();
    await expect(test.storage.deleteAbandonedContent()).rejects.toThrow(ObjectStorageError);
    expect([...objects.objects.keys()]).toEqual([held]);
    objects.held.clear();
    expect(await test.storage.deleteAbandonedContent()).toBe(1);
    expect(objects.objects.size).toBe(0);
  });

  it('is deleted at once when the caller says so, unless a version refers to it', async () => {
    const record = test.newRecord();
    const { id, data } = await stored(record, randomBytes(10));
    await record.discardContent(data);
    expect(await whole(record, (await record.read(BINARY, id))?.json)).not.toContain(data);
    await record.discardContent(await record.storeContent(inPieces(randomBytes(10))));
    expect(objects.objects.size).toBe(1);
  });

  it('is nothing when the source fails', async () => {
    const record = test.newRecord();
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from('a'));
      throw new Error('the client is gone');
    };
    await expect(record.storeContent(failing())).rejects.toThrow('the client is gone');
    expect(objects.objects.size).toBe(0);
  });
});

it('is destroyed with the record, when the object storage allows it', async () => {
  const record = test.newRecord();
  await stored(record, randomBytes(10));
  await stored(record, randomBytes(10));
  const other = test.newRecord();
  await stored(other, randomBytes(10));
  objects.isDown = true;
  await test.storage.destroyRecord(record.userId);
  expect((await test.storage.finishDestructions()).left).toBe(1);
  objects.isDown = false;
  expect(await test.storage.finishDestructions()).toEqual({ finished: 1, left: 0 });
  expect(objects.objects.size).toBe(1);
  await expect(record.storeContent(inPieces(randomBytes(1)))).rejects.toThrow(RecordDestroyedError);
  // Without a configured storage the record is not said to be purged.
  const storage = new RecordStorage({ pool: test.pool, kek: test.kek });
  await storage.destroyRecord(other.userId);
  expect((await storage.finishDestructions()).left).toBe(1);
  await storage.close();
  expect(await test.storage.finishDestructions()).toEqual({ finished: 1, left: 0 });
});

it('is in exports, compressed and not, and is downloaded on its own', async () => {
  const record = test.newRecord();
  const large = randomBytes(2 * SEGMENT_BYTES + 1);
  const { id } = await stored(record, large);
  await record.write([
    { typeCode: BINARY, id: newId(), ...binary('AAAA') },
    { typeCode: BINARY, id: newId(), ...binary(await record.storeContent(inPieces(Buffer.from('small')))) },
  ]);
  await test.storage.compactRecord(record.userId);
  const scope = { userId: record.userId };
  const [file] = await planExport(test.exported, { scope, at: await snapshotTime(test.pool) });
  const plain = await bytesOf(streamFile(test.exported, file!, { encoding: 'identity' }));
  const data = linesOf(plain).map((line) => (JSON.parse(line) as { data: string }).data);
  expect(new Set(data)).toEqual(new Set([large.toString('base64'), 'AAAA', Buffer.from('small').toString('base64')]));
  const zipped = await bytesOf(streamFile(test.exported, file!, { encoding: 'gzip' }));
  expect(gunzipSync(zipped).equals(plain)).toBe(true);
  const found = await readBinary(test.exported, scope, id);
  expect((await bytesOf(found!.content.wholeJson(found!.json!)!.pieces())).toString()).toContain(
    large.toString('base64'),
  );
});

it('is verified with the record', async () => {
  const record = test.newRecord();
  const { id } = await stored(record, randomBytes(10));
  const problems: unknown[] = [];
  const verify = (): Promise<unknown> =>
    test.storage.verifyRecord(
      record.userId,
      () => ({ terms: [], ranges: [] }),
      (problem) => problems.push(problem),
    );
  await verify();
  expect(problems).toEqual([]);
  objects.objects.clear();
  await verify();
  expect(problems).toEqual([{ problem: 'object-missing', typeCode: BINARY, id, version: 1 }]);
});

it('is listed once for each object, in the partition of its user', async () => {
  await test.clear();
  const record = test.newRecord();
  await stored(record, randomBytes(10));
  await record.storeContent(inPieces(randomBytes(10)));
  expect((await rows()).map(({ attached }) => attached).toSorted()).toEqual([false, true]);
});
