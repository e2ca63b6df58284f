import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { waitUntil } from '@tributary/test-environment';
import {
  CONDITION,
  OBSERVATION,
  PATIENT,
  type TestStorage,
  bytesOf,
  content,
  linesOf,
  newId,
  openTestStorage,
  allMatches,
  purgeAll,
  textOf,
} from '../../test/storage';
import type { UserRecord } from '../user-record';
import type { ExportFile, ExportSelection } from './export-file';
import { type DeletedResource, readDeletions } from './deletions';
import { fileLines } from './file-lines';
import { findResources } from './find-resources';
import { ExportTooLargeError, type PlanState, planExport, planSteps, plannedFiles } from './plan';
import { SnapshotGoneError } from './read-blocks';
import { snapshotTime } from './snapshot-time';
import { streamFile } from './stream-file';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

async function exportLines(
  selection: ExportSelection,
  limits: { fileResources?: number; fileBytes?: number } = {},
): Promise<string[]> {
  const lines: string[] = [];
  for (const file of await planExport(test.exported, selection, limits)) lines.push(...(await linesOfFile(file)));
  return lines;
}

/** The lines of a file. Asserts that both encodings and the count agree. */
async function linesOfFile(file: ExportFile): Promise<string[]> {
  const described = JSON.parse(JSON.stringify(file)) as ExportFile;
  const plain = await bytesOf(streamFile(test.exported, described, { encoding: 'identity' }));
  const zipped = await bytesOf(streamFile(test.exported, described, { encoding: 'gzip' }));
  expect(gunzipSync(zipped).equals(plain)).toBe(true);
  expect(zipped.indexOf(Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0), 1)).toBe(-1);
  const lines = linesOf(plain);
  expect(lines).toHaveLength(file.count);
  expect(file.bytes).toBeGreaterThanOrEqual(plain.length);
  return lines;
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const versionsIn = (lines: readonly string[]): string[] =>
  lines.map((line) => line.slice(line.indexOf('"id"'), line.indexOf('","lastUpdated'))).toSorted();

async function fill(record: UserRecord, typeCode: number, count: number, text = 'x'): Promise<string[]> {
  const changes = Array.from({ length: count }, (_, i) => ({
    typeCode,
    id: newId(),
    ...content(`"n":${i},"text":"${text}"`),
  }));
  await record.write(changes);
  return changes.map(({ id }) => id);
}

/** The JSON of the current resources of the record, as a search returns them. */
async function currentLines(record: UserRecord, typeCodes: readonly number[]): Promise<string[]> {
  return (await allMatches(record, { typeCodes, where: { op: 'all' } })).map(({ json }) => json.toString('utf8'));
}

describe('export', () => {
  it('contains every current resource of a user as it is stored', async () => {
    const record = test.newRecord();
    await fill(test.newRecord(), OBSERVATION, 3);
    await fill(record, OBSERVATION, 130);
    await fill(record, PATIENT, 1, 'é');
    await record.create(CONDITION, newId(), content('"single":true'));
    const at = await snapshotTime(test.pool);
    const scope = { userId: record.userId };
    const files = await planExport(test.exported, { scope, at });
    expect(files.map(({ typeCode, count }) => [typeCode, count])).toEqual([
      [PATIENT, 1],
      [CONDITION, 1],
      [OBSERVATION, 130],
    ]);
    expect((await exportLines({ scope, at })).toSorted()).toEqual(
      (await currentLines(record, [PATIENT, CONDITION, OBSERVATION])).toSorted(),
    );
    expect((await exportLines({ scope, at, typeCodes: [CONDITION] })).length).toBe(1);
    expect(await planExport(test.exported, { scope: { userId: 999_999 }, at })).toEqual([]);
  });

  it('contains exactly the users of a client, without destroyed records', async () => {
    const records = [
      test.newRecord('client-a'),
      test.newRecord('client-b'),
      test.newRecord('client-a'),
      test.newRecord('client-a'),
    ] as const;
    for (const record of records) await fill(record, OBSERVATION, 60);
    await test.storage.destroyRecord(records[3].userId);
    const at = await snapshotTime(test.pool);
    const lines = await exportLines({ scope: { clientId: 'client-a' }, at });
    const expected = [
      ...(await currentLines(records[0], [OBSERVATION])),
      ...(await currentLines(records[2], [OBSERVATION])),
    ];
    expect(lines.toSorted()).toEqual(expected.toSorted());
  });

  it('continues without a record that is destroyed during the download', async () => {
    const records = [test.newRecord('client-d'), test.newRecord('client-d')] as const;
    for (const record of records) for (let i = 0; i < 6; i++) await fill(record, OBSERVATION, 50, 'x'.repeat(70_000));
    const at = await snapshotTime(test.pool);
    const [file] = await planExport(test.exported, { scope: { clientId: 'client-d' }, at }, { fileBytes: 1e9 });
    const download = streamFile(test.exported, file as ExportFile, { encoding: 'identity' })[Symbol.asyncIterator]();
    await download.next();
    await test.storage.destroyRecord(records[1].userId);
    for (let next = await download.next(); !next.done; next = await download.next())
      expect(next.value.length).toBeGreaterThan(0);
  });

  it('splits files at their limits, with each line in exactly one file', async () => {
    const clientId = 'client-cut';
    for (let i = 0; i < 5; i++) await fill(test.newRecord(clientId), OBSERVATION, 90, 'x'.repeat(i * 150));
    const at = await snapshotTime(test.pool);
    const scope = { clientId };
    const isComplete = await exportLines({ scope, at });
    expect(isComplete).toHaveLength(450);
    for (const limits of [
      { fileResources: 100 },
      { fileBytes: 40_000 },
      { fileResources: 70, fileBytes: 30_000 },
      { fileResources: 1 },
    ]) {
      const files = await planExport(test.exported, { scope, at }, limits);
      expect(files.length).toBeGreaterThan(4);
      for (const file of files)
        expect(file.count).toBeLessThanOrEqual(Math.max(limits.fileResources ?? Infinity, 45) + 50);
      expect(await exportLines({ scope, at }, limits)).toEqual(isComplete);
    }
  });

  it('has the state at its snapshot time after later writes, and the same bytes each time', async () => {
    const record = test.newRecord();
    const ids = await fill(record, OBSERVATION, 40);
    await record.update(OBSERVATION, ids[0] as string, content('"v":2'));
    await record.delete(OBSERVATION, ids[1] as string);
    const single = newId();
    await record.create(OBSERVATION, single, content('"v":1'));
    await record.update(OBSERVATION, single, content('"v":2'));
    const scope = { userId: record.userId };
    const at = await snapshotTime(test.pool);
    const expected = (await currentLines(record, [OBSERVATION])).toSorted();
    expect(expected).toHaveLength(40);
    const [file] = await planExport(test.exported, { scope, at });
    const bytes = await bytesOf(streamFile(test.exported, file as ExportFile, { encoding: 'gzip' }));
    expect(linesOf(gunzipSync(bytes)).toSorted()).toEqual(expected);

    for (const id of ids.slice(2, 9)) await record.update(OBSERVATION, id, content('"later":true'));
    for (const id of ids.slice(9, 14)) await record.delete(OBSERVATION, id);
    await record.update(OBSERVATION, ids[1] as string, content('"back":true'));
    await fill(record, OBSERVATION, 10);
    expect(await bytesOf(streamFile(test.exported, file as ExportFile, { encoding: 'gzip' }))).toEqual(bytes);
    await test.storage.compactRecord(record.userId);
    await purgeAll(test.storage);
    expect(await bytesOf(streamFile(test.exported, file as ExportFile, { encoding: 'gzip' }))).toEqual(bytes);
    expect(await planExport(test.exported, { scope, at })).toEqual([file]);
    expect((await exportLines({ scope, at: await snapshotTime(test.pool) })).toSorted()).toEqual(
      (await currentLines(record, [OBSERVATION])).toSorted(),
    );
  });

  it('has each resource once while commit timestamps are ahead of the clock', async () => {
    const record = test.newRecord();
    const ids = Array.from({ length: 24 }, newId);
    for (const id of ids.slice(1)) await record.create(OBSERVATION, id, content('"v":1'));
    // A host whose clock is a second ahead. The write is acknowledged a second later.
    const hostClock = jest
      .spyOn(Date, 'now')
      .mockImplementation(() => Math.floor(performance.timeOrigin + performance.now()) + 1000);
    const acknowledged = record.create(OBSERVATION, ids[0] as string, content('"v":1'));
    await waitUntil(() => Promise.race([acknowledged, record.read(OBSERVATION, ids[0] as string)]));
    hostClock.mockRestore();
    expect(await test.storage.compactRecord(record.userId)).toMatchObject({ retired: 24 });
    await Promise.all([
      acknowledged,
      record.update(OBSERVATION, ids[1] as string, content('"v":2')),
      record.update(OBSERVATION, ids[2] as string, content('"v":2'), 1),
      record.delete(OBSERVATION, ids[3] as string),
      record.write([
        { typeCode: OBSERVATION, id: ids[4] as string, ...content('"v":2') },
        { typeCode: OBSERVATION, id: ids[5] as string, delete: true },
      ]),
      test.storage.compactRecord(record.userId),
    ]);
    const { versions } = await record.history({ scope: 'record', limit: 1000 });
    const { rows } = await test.pool.query<{ time: string }>(
      'SELECT written_at AS time FROM fhir_store.block WHERE user_id = $1 UNION SELECT retired_at FROM fhir_store.block WHERE user_id = $1 AND retired_at IS NOT NULL',
      [record.userId],
    );
    const times = [...versions.map(({ lastUpdated }) => lastUpdated), ...rows.map(({ time }) => Number(time))];
    for (const at of new Set(times.flatMap((time) => [time, time + 1]))) {
      const latest = new Map(
        versions.toReversed().flatMap((each) => (each.lastUpdated < at ? [[each.id, each] as const] : [])),
      );
      const expected = [...latest.values()].filter(({ deleted }) => !deleted);
      const lines = await exportLines({ scope: { userId: record.userId }, at });
      expect(versionsIn(lines)).toEqual(versionsIn(expected.map((each) => textOf(each) as string)));
    }
  });

  it('since a time contains exactly the later writes and deletions', async () => {
    const record = test.newRecord();
    // Two writes can share a millisecond, but a snapshot is later than those before it and earlier than those after it.
    const apart = (): Promise<number> => snapshotTime(test.pool);
    const ids = await fill(record, OBSERVATION, 30);
    await apart();
    const kept = await record.create(OBSERVATION, newId(), content('"v":1'));
    await apart();
    const changed = await record.update(OBSERVATION, ids[3] as string, content('"v":2'));
    await apart();
    const gone = await record.delete(OBSERVATION, ids[4] as string);
    await record.delete(OBSERVATION, ids[5] as string);
    await record.update(OBSERVATION, ids[5] as string, content('"back":true'));
    const scope = { userId: record.userId };
    const deletions = async (selection: ExportSelection): Promise<DeletedResource[]> => {
      const all: DeletedResource[] = [];
      for await (const some of readDeletions(test.exported, selection)) all.push(...some);
      return all;
    };
    for (const merged of [false, true]) {
      if (merged) for (let i = 0; i < 2; i++) await test.storage.compactRecord(record.userId);
      const at = await snapshotTime(test.pool);
      expect(await exportLines({ scope, at, since: kept.lastUpdated })).toHaveLength(2);
      expect(await exportLines({ scope, at, since: kept.lastUpdated - 1 })).toHaveLength(3);
      expect(await exportLines({ scope, at, since: changed.lastUpdated })).toHaveLength(1);
      expect(await deletions({ scope, at, since: kept.lastUpdated })).toEqual([
        { userId: record.userId, typeCode: OBSERVATION, id: ids[4], lastUpdated: gone?.lastUpdated },
      ]);
      expect(await deletions({ scope: { clientId: record.clientId }, at, since: at })).toEqual([]);
    }
  });

  it('returns the current lines of the requested blocks', async () => {
    const record = test.newRecord();
    for (let i = 0; i < 3; i++) await fill(record, OBSERVATION, 60, 'x'.repeat(70_000));
    const [gone = ''] = await fill(record, OBSERVATION, 60);
    await record.delete(OBSERVATION, gone);
    const at = await snapshotTime(test.pool);
    const [file] = (await planExport(test.exported, { scope: { userId: record.userId }, at })) as [ExportFile];
    const blocks = await allOf(fileLines(test.exported, file));
    expect(blocks.flatMap(({ lines }) => lines.map(String))).toEqual(await linesOfFile(file));
    expect(blocks.filter(({ isComplete }) => !isComplete).map(({ lines }) => lines.length)).toEqual([59]);
    const wanted = blocks[1]?.position.blockId;
    const some = await allOf(fileLines(test.exported, file, ({ blockId }) => blockId === wanted));
    expect(some.map(({ position, lines }) => [position.blockId, lines.length])).toEqual([
      [wanted, blocks[1]?.lines.length],
    ]);
    expect(await allOf(fileLines(test.exported, file, () => false))).toEqual([]);
  });

  it('filters lines on request', async () => {
    const record = test.newRecord();
    await fill(record, OBSERVATION, 60);
    const at = await snapshotTime(test.pool);
    const [file] = await planExport(test.exported, { scope: { userId: record.userId }, at });
    const filter = (json: Buffer): Buffer | undefined =>
      /"n":\d,/.test(json.toString()) ? Buffer.from('{"short":1}') : undefined;
    for (const encoding of ['identity', 'gzip'] as const) {
      const bytes = await bytesOf(streamFile(test.exported, file as ExportFile, { encoding, filter }));
      expect(linesOf(encoding === 'gzip' ? gunzipSync(bytes) : bytes)).toEqual(
        Array.from({ length: 10 }, () => '{"short":1}'),
      );
    }
  });

  it('is complete when a file is sent in several chunks', async () => {
    const record = test.newRecord();
    for (let i = 0; i < 3; i++) await fill(record, OBSERVATION, 200, randomBytes(2000).toString('base64'));
    const changes = Array.from({ length: 300 }, () => ({
      typeCode: OBSERVATION,
      id: newId(),
      ...content(`"text":"${randomBytes(1500).toString('base64')}"`),
    }));
    await record.write(changes);
    const scope = { userId: record.userId };
    expect(await exportLines({ scope, at: await snapshotTime(test.pool) })).toHaveLength(900);
  });

  it('releases its connection when the download is aborted', async () => {
    const record = test.newRecord();
    for (let i = 0; i < 3; i++) await fill(record, OBSERVATION, 200, 'x'.repeat(20_000));
    const at = await snapshotTime(test.pool);
    const [file] = await planExport(test.exported, { scope: { userId: record.userId }, at });
    for (let i = 0; i < 40; i++) {
      for await (const piece of streamFile(test.exported, file as ExportFile, { encoding: 'identity' }))
        if (piece.length > 0) break;
    }
    // Over many pieces, too, both encodings have the same lines.
    expect(await linesOfFile(file as ExportFile)).toHaveLength(600);
    // The chunk that was being read ahead ends on its own.
    await waitUntil(() => test.pool.idleCount === test.pool.totalCount);
    expect(test.pool.waitingCount).toBe(0);
  });

  it('is exact during concurrent writes, deletions and compactions', async () => {
    const record = test.newRecord('client-busy');
    const ids = await fill(record, OBSERVATION, 60);
    let busy = true;
    let updates = 0;
    const writers = [
      ...[0, 1, 2].map(async (writer) => {
        for (let i = writer; busy; i += 3, updates++)
          await record.update(OBSERVATION, ids[i % 40] as string, content(`"by":${writer},"i":${i}`));
      }),
      (async () => {
        while (busy) await record.create(OBSERVATION, newId(), content('"new":true'));
      })(),
      (async () => {
        for (let i = 0; busy; i++) await record.delete(OBSERVATION, ids[40 + (i % 20)] as string);
      })(),
      (async () => {
        for (let i = 0; busy; i++) {
          await record.write(
            [0, 1, 2, 3, 4].map((k) => ({
              typeCode: OBSERVATION,
              id: ids[(i * 5 + k) % 60] as string,
              ...content(`"batch":${i}`),
            })),
          );
        }
      })(),
      (async () => {
        while (busy) await test.storage.compactRecord(record.userId);
      })(),
    ];
    const taken: { at: number; early: string[]; selection: ExportSelection }[] = [];
    // Until there have been some writes, however slow the machine is.
    for (let i = 0; i < 12 || updates < 100; i++) {
      const at = await snapshotTime(test.pool);
      const selection: ExportSelection = {
        scope: i % 2 ? { userId: record.userId } : { clientId: record.clientId },
        at,
      };
      taken.push({ at, early: await exportLines(selection), selection });
    }
    busy = false;
    await Promise.all(writers);

    const history = (await record.history({ scope: 'record', limit: 100_000 })).versions;
    for (const { at, early, selection } of taken) {
      const latest = new Map<string, (typeof history)[number]>();
      for (const entry of history) if (entry.lastUpdated < at && !latest.has(entry.id)) latest.set(entry.id, entry);
      const expected = [...latest.values()]
        .filter(({ deleted }) => !deleted)
        .map(({ json }) => json?.toString('utf8') as string);
      expect(versionsIn(early)).toEqual(versionsIn(expected));
      expect(early.toSorted()).toEqual(expected.toSorted());
      expect(await exportLines(selection)).toEqual(early);
    }
  });

  it('fails when its blocks no longer exist', async () => {
    const record = test.newRecord();
    // Compressed text would fit into the buffers of the download as a whole, and all blocks would be read at once.
    const incompressible = randomBytes(52_500).toString('base64');
    for (let i = 0; i < 8; i++) await fill(record, OBSERVATION, 50, incompressible);
    const at = await snapshotTime(test.pool);
    const [file] = await planExport(test.exported, { scope: { userId: record.userId }, at });
    const download = streamFile(test.exported, file as ExportFile, { encoding: 'identity' })[Symbol.asyncIterator]();
    await download.next();
    await test.pool.query('DELETE FROM fhir_store.block WHERE user_id = $1', [record.userId]);
    const rest = async (): Promise<void> => {
      while (!(await download.next()).done);
    };
    await expect(rest()).rejects.toThrow(SnapshotGoneError);
  });
});

describe('a plan in steps', () => {
  it('has the same result when another process continues it from any state', async () => {
    const client = 'client-steps';
    for (let user = 0; user < 26; user++)
      await test.newRecord(client).write([{ typeCode: OBSERVATION, id: newId(), ...content('"a":1') }]);
    const selection = { scope: { clientId: client }, at: await snapshotTime(test.pool) };
    const options = { fileResources: 9, usersPerStep: 20 };
    const states: PlanState[] = [];
    for await (const state of planSteps(test.exported, selection, options))
      states.push(JSON.parse(JSON.stringify(state)) as PlanState);
    expect(states.length).toBeGreaterThan(1);
    const files = plannedFiles(selection, states.at(-1) as PlanState);
    expect(files.reduce((sum, { count }) => sum + count, 0)).toBe(26);
    expect(await planExport(test.exported, selection, options)).toEqual(files);
    let last: PlanState | undefined;
    for await (const state of planSteps(test.exported, selection, options, states[0])) last = state;
    expect(plannedFiles(selection, last as PlanState)).toEqual(files);
  });

  it('fails when there are more blocks than the limit', async () => {
    const record = test.newRecord();
    for (let n = 0; n < 3; n++) await record.create(OBSERVATION, newId(), content('"a":1'));
    const selection = { scope: { userId: record.userId }, at: await snapshotTime(test.pool) };
    await expect(planExport(test.exported, selection, { maxBlocks: 2 })).rejects.toThrow(ExportTooLargeError);
    expect(await planExport(test.exported, selection, { maxBlocks: 3 })).toMatchObject([{ count: 3 }]);
  });

  it('ends when its signal is aborted', async () => {
    const record = test.newRecord();
    await record.create(OBSERVATION, newId(), content('"a":1'));
    const gone = new Error('gone');
    await expect(
      planExport(
        test.exported,
        { scope: { userId: record.userId }, at: Date.now() + 100 },
        { signal: AbortSignal.abort(gone) },
      ),
    ).rejects.toBe(gone);
  });
});

it('finds the ids of current and deleted resources of a scope', async () => {
  const [one, other, stranger] = [
    test.newRecord('client-ids'),
    test.newRecord('client-ids'),
    test.newRecord('client-else'),
  ];
  const [current, deleted, foreign] = [newId(), newId(), newId()];
  await one.create(OBSERVATION, current, content('"a":1'));
  await other.create(OBSERVATION, deleted, content('"a":1'));
  await other.delete(OBSERVATION, deleted);
  await stranger.create(OBSERVATION, foreign, content('"a":1'));
  const found = await findResources(
    test.exported,
    { clientId: 'client-ids' },
    [OBSERVATION],
    [current, deleted, foreign, newId()],
  );
  expect([...found].toSorted()).toEqual([current, deleted].toSorted());
  expect((await findResources(test.exported, { userId: one.userId }, [CONDITION], [current])).size).toBe(0);
});
