import { RecordDestroyedError, VersionConflictError } from '../errors';
import {
  CONDITION,
  OBSERVATION,
  PATIENT,
  type TestStorage,
  content,
  newId,
  openTestStorage,
  textOf,
} from '../../test/storage';
import type { ChangeOutcome } from './batch-plan';
import { KEEP_SOURCE } from './content';
import { snapshotTime } from '../export/snapshot-time';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

describe('create', () => {
  it('stores the JSON with id, version and time, and every read returns it', async () => {
    const record = test.newRecord();
    const id = newId();
    const before = Date.now();
    const written = await record.create(OBSERVATION, id, {
      body: { meta: '"profile":["p"]', members: '"valueDecimal":1.00,"text":"é\\n"' },
      index: { terms: [], ranges: [] },
    });
    expect(written).toMatchObject({ typeCode: OBSERVATION, id, version: 1 });
    expect(written.lastUpdated).toBeGreaterThanOrEqual(before - 1000);
    const instant = new Date(written.lastUpdated).toISOString();
    const json = `{"resourceType":"Observation","id":"${id}","meta":{"versionId":"1","lastUpdated":"${instant}","profile":["p"]},"valueDecimal":1.00,"text":"é\\n"}`;
    expect(textOf(written)).toBe(json);
    const stored = await record.read(OBSERVATION, id);
    expect(stored).toEqual({
      typeCode: OBSERVATION,
      id,
      version: 1,
      lastUpdated: written.lastUpdated,
      deleted: false,
      json: written.json,
    });
    expect(await record.readVersion(OBSERVATION, id, 1)).toEqual(stored);
    expect(await record.readMany([{ typeCode: OBSERVATION, id }])).toEqual([stored]);
  });

  it('is in every snapshot that is taken after its response', async () => {
    const record = test.newRecord();
    for (let i = 0; i < 30; i++) {
      const { lastUpdated } = await record.create(OBSERVATION, newId(), content('"a":1'));
      expect(await snapshotTime(test.pool)).toBeGreaterThan(lastUpdated);
    }
  });

  it('separates records', async () => {
    const [one, other] = [test.newRecord(), test.newRecord()];
    const id = newId();
    await one.create(OBSERVATION, id, content('"a":1'));
    expect(await other.read(OBSERVATION, id)).toBeUndefined();
    expect(await one.read(CONDITION, id)).toBeUndefined();
  });
});

describe('update', () => {
  it('creates versions with increasing numbers and times', async () => {
    const record = test.newRecord();
    const id = newId();
    let last = await record.create(OBSERVATION, id, content('"a":0'));
    for (let i = 1; i <= 10; i++) {
      const next = await record.update(OBSERVATION, id, content(`"a":${i}`));
      expect(next).toMatchObject({ version: i + 1, created: false });
      expect(next.lastUpdated).toBeGreaterThan(last.lastUpdated);
      last = next;
    }
    for (let i = 0; i <= 10; i++)
      expect(textOf(await record.readVersion(OBSERVATION, id, i + 1))).toContain(`"a":${i}}`);
    expect(await record.readVersion(OBSERVATION, id, 12)).toBeUndefined();
    expect(textOf(await record.read(OBSERVATION, id))).toContain('"a":10}');
  });

  it('creates a missing resource, and continues the version numbers after a deletion', async () => {
    const record = test.newRecord();
    const id = newId();
    expect(await record.update(OBSERVATION, id, content('"a":1'))).toMatchObject({ version: 1, created: true });
    expect(await record.delete(OBSERVATION, id)).toMatchObject({ version: 2 });
    expect(await record.read(OBSERVATION, id)).toMatchObject({ version: 2, deleted: true, json: undefined });
    expect(await record.readMany([{ typeCode: OBSERVATION, id }])).toEqual([]);
    expect(await record.delete(OBSERVATION, id)).toBeUndefined();
    expect(await record.update(OBSERVATION, id, content('"a":3'))).toMatchObject({ version: 3, created: true });
    expect(await record.read(OBSERVATION, id)).toMatchObject({ version: 3, deleted: false });
    expect(await record.readVersion(OBSERVATION, id, 2)).toMatchObject({ deleted: true });
    expect(textOf(await record.readVersion(OBSERVATION, id, 1))).toContain('"a":1');
  });

  it('writes only at the expected version', async () => {
    const record = test.newRecord();
    const id = newId();
    await expect(record.update(OBSERVATION, id, content('"a":1'), 1)).rejects.toMatchObject({
      expected: 1,
      actual: undefined,
    });
    await record.update(OBSERVATION, id, content('"a":1'), 0);
    await expect(record.update(OBSERVATION, id, content('"a":2'), 0)).rejects.toMatchObject({ expected: 0, actual: 1 });
    await expect(record.update(OBSERVATION, id, content('"a":2'), 2)).rejects.toThrow(VersionConflictError);
    await expect(record.delete(OBSERVATION, id, 2)).rejects.toThrow(VersionConflictError);
    expect(await record.update(OBSERVATION, id, content('"a":2'), 1)).toMatchObject({ version: 2 });
    expect(await record.delete(OBSERVATION, id, 2)).toMatchObject({ version: 3 });
    await expect(record.delete(OBSERVATION, id, 2)).rejects.toThrow(VersionConflictError);
  });
});

it('a read always finds a resource that is deleted and comes back again and again', async () => {
  const record = test.newRecord();
  const id = newId();
  await record.create(OBSERVATION, id, content('"a":0'));
  let isOver = false;
  const changing = (async () => {
    for (let i = 0; i < 20; i++) {
      await record.delete(OBSERVATION, id);
      await record.update(OBSERVATION, id, content(`"a":${i}`));
    }
    isOver = true;
  })();
  while (!isOver) expect(await record.read(OBSERVATION, id)).toBeDefined();
  await changing;
});

describe('concurrent writers', () => {
  it('of one resource create contiguous versions without a lost write', async () => {
    const record = test.newRecord();
    const id = newId();
    await record.create(OBSERVATION, id, content('"by":-1'));
    const written = await Promise.all(
      Array.from({ length: 24 }, (_, i) => record.update(OBSERVATION, id, content(`"by":${i}`))),
    );
    expect(written.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 24 }, (_, i) => i + 2),
    );
    const byVersion = written.toSorted((a, b) => a.version - b.version);
    for (let i = 1; i < byVersion.length; i++)
      expect(byVersion[i]?.lastUpdated).toBeGreaterThan(byVersion[i - 1]?.lastUpdated as number);
    for (const { version, json } of written)
      expect((await record.readVersion(OBSERVATION, id, version))?.json).toEqual(json);
  });

  it('of one expected version have exactly one winner', async () => {
    const record = test.newRecord();
    const id = newId();
    await record.create(OBSERVATION, id, content('"by":-1'));
    for (let version = 1; version <= 5; version++) {
      const tries = await Promise.allSettled([
        ...Array.from({ length: 6 }, (_, i) => record.update(OBSERVATION, id, content(`"by":${i}`), version)),
        record.write([{ typeCode: OBSERVATION, id, ...content('"by":"batch"'), expectedVersion: version }]),
      ]);
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const each of tries)
        if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(VersionConflictError);
      expect(await record.read(OBSERVATION, id)).toMatchObject({ version: version + 1 });
    }
  });

  it('that create the same client-assigned id create one resource', async () => {
    const record = test.newRecord();
    const id = newId();
    const written = await Promise.all(
      Array.from({ length: 8 }, (_, i) => record.update(OBSERVATION, id, content(`"by":${i}`))),
    );
    expect(written.filter(({ created }) => created)).toHaveLength(1);
    expect(written.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('of identical batches neither duplicate nor deadlock', async () => {
    const record = test.newRecord();
    const changes = Array.from({ length: 120 }, (_, i) => ({
      typeCode: i % 2 ? OBSERVATION : CONDITION,
      id: newId(),
      ...content(`"n":${i}`, undefined, `source ${i}`),
    }));
    const shuffled = Array.from({ length: 6 }, (_, turn) => [
      ...changes.slice(turn * 20),
      ...changes.slice(0, turn * 20),
    ]);
    const results = await Promise.all(shuffled.map((batch) => record.write(batch)));
    const outcomes = results.flat().map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(120);
    expect(outcomes.filter((outcome) => outcome === 'unchanged')).toHaveLength(600);
    const { rows } = await test.pool.query<{ count: string }>(
      'SELECT sum(entry_count) AS count FROM fhir_store.block WHERE user_id = $1',
      [record.userId],
    );
    expect(Number(rows[0]?.count)).toBe(120);
  });

  it('of batches and single resources all succeed', async () => {
    const record = test.newRecord();
    const ids = Array.from({ length: 12 }, newId);
    await record.write(ids.map((id) => ({ typeCode: OBSERVATION, id, ...content('"a":0') })));
    await Promise.all([
      ...ids.map((id) => record.update(OBSERVATION, id, content('"a":1'))),
      ...[0, 1, 2, 3].map((n) =>
        record.write(
          [...ids.slice(n * 3), ...ids.slice(0, n * 3)].map((id) => ({
            typeCode: OBSERVATION,
            id,
            ...content('"a":2'),
          })),
        ),
      ),
      ...ids.map((id) => record.update(OBSERVATION, id, content('"a":3'))),
      test.storage.compactRecord(record.userId),
    ]);
    const current = await record.currentVersions(ids.map((id) => ({ typeCode: OBSERVATION, id })));
    expect(current.map(({ version }) => version)).toEqual(ids.map(() => 7));
    const { total, versions } = await record.history({ scope: 'record', limit: 1000, total: true });
    expect(total).toBe(84);
    expect(versions).toHaveLength(84);
  });
});

describe('write', () => {
  it('writes all changes at once, with results in the order of the request', async () => {
    const record = test.newRecord();
    const [kept, changed, gone, fresh] = [newId(), newId(), newId(), newId()];
    await record.write(
      [kept, changed, gone].map((id) => ({
        typeCode: OBSERVATION,
        id,
        ...content('"a":1', undefined, `source of ${id}`),
      })),
    );
    const outcomes = await record.write(
      [
        { typeCode: OBSERVATION, id: gone, delete: true },
        { typeCode: PATIENT, id: fresh, ...content('"active":true') },
        { typeCode: OBSERVATION, id: kept, ...content('"a":1', undefined, `source of ${kept}`) },
        { typeCode: OBSERVATION, id: changed, ...content('"a":2', undefined, 'another source') },
        { typeCode: OBSERVATION, id: newId(), delete: true },
      ],
      { returnJson: true },
    );
    expect(outcomes.map(({ outcome, version }) => [outcome, version])).toEqual([
      ['deleted', 2],
      ['created', 1],
      ['unchanged', 1],
      ['updated', 2],
      ['absent', 0],
    ]);
    expect((await record.read(PATIENT, fresh))?.json).toEqual((outcomes[1] as ChangeOutcome).json);
    expect(textOf(await record.read(PATIENT, fresh))).toContain('"resourceType":"Patient"');
    expect(await record.read(OBSERVATION, gone)).toMatchObject({ deleted: true, version: 2 });
    const back = await record.write([{ typeCode: OBSERVATION, id: gone, ...content('"a":3') }]);
    expect(back).toMatchObject([{ outcome: 'created', version: 3 }]);
  });

  it('writes nothing when one expected version differs', async () => {
    const record = test.newRecord();
    const [old, fresh] = [newId(), newId()];
    await record.create(OBSERVATION, old, content('"a":1'));
    const attempt = record.write([
      { typeCode: OBSERVATION, id: fresh, ...content('"a":1') },
      { typeCode: OBSERVATION, id: old, ...content('"a":2'), expectedVersion: 7 },
    ]);
    await expect(attempt).rejects.toMatchObject({ id: old, expected: 7, actual: 1 });
    expect(await record.read(OBSERVATION, fresh)).toBeUndefined();
    expect(await record.read(OBSERVATION, old)).toMatchObject({ version: 1 });
  });

  it('keeps the source hash on request, so that the source still counts as unchanged', async () => {
    const record = test.newRecord();
    const id = newId();
    const collected = { typeCode: OBSERVATION, id, ...content('"ref":"kept"', undefined, 'the source') };
    await record.write([collected]);
    await record.write([{ typeCode: OBSERVATION, id, ...content('"ref":"restored"'), source: KEEP_SOURCE }]);
    expect(await record.write([collected])).toMatchObject([{ outcome: 'unchanged', version: 2 }]);
    await record.update(OBSERVATION, id, content('"ref":"by hand"'));
    expect(await record.write([collected])).toMatchObject([{ outcome: 'updated', version: 4 }]);
  });

  it('stores hundreds of resources of all sizes', async () => {
    const record = test.newRecord();
    const changes = Array.from({ length: 300 }, (_, i) => ({
      typeCode: i % 3 ? OBSERVATION : CONDITION,
      id: newId(),
      ...content(`"n":${i},"text":"${'x'.repeat(i % 50 === 0 ? 60_000 : (i * 7) % 900)}"`, {
        terms: [`n|${i}`],
        ranges: i % 2 ? [{ name: 'n', kind: 'number', low: i, high: i }] : [],
      }),
    }));
    const outcomes = await record.write(changes, { returnJson: true });
    const stored = await record.readMany(changes);
    expect(stored.map(textOf)).toEqual(outcomes.map(textOf));
    expect(await record.write([])).toEqual([]);
    await expect(record.write([changes[0] as (typeof changes)[0], changes[0] as (typeof changes)[0]])).rejects.toThrow(
      RangeError,
    );
  });
});

describe('a destroyed record', () => {
  it('cannot be read or written in any process', async () => {
    const record = test.newRecord();
    const id = newId();
    await record.create(OBSERVATION, id, content('"a":1'));
    await record.update(OBSERVATION, id, content('"a":2'));
    const elsewhere = new (test.storage.constructor as typeof import('../record-storage').RecordStorage)({
      pool: test.pool,
      kek: test.kek,
    }).record(record.userId, record.clientId);
    expect(await elsewhere.read(OBSERVATION, id)).toBeDefined();
    await test.storage.destroyRecord(record.userId);
    await test.storage.destroyRecord(record.userId);
    for (const each of [record, elsewhere]) {
      expect(await each.read(OBSERVATION, id)).toBeUndefined();
      expect((await each.history({ scope: 'record', limit: 10 })).versions).toEqual([]);
      expect(await each.search.count([OBSERVATION], { op: 'all' })).toBe(0);
      await expect(each.create(OBSERVATION, newId(), content('"a":1'))).rejects.toThrow(RecordDestroyedError);
      await expect(each.update(OBSERVATION, id, content('"a":1'))).rejects.toThrow(RecordDestroyedError);
      await expect(each.write([{ typeCode: OBSERVATION, id, ...content('"a":1') }])).rejects.toThrow(
        RecordDestroyedError,
      );
    }
    const { rows } = await test.pool.query('SELECT wrapped_key FROM fhir_store_keys.record_key WHERE user_id = $1', [
      record.userId,
    ]);
    expect(rows).toEqual([{ wrapped_key: null }]);
  });

  it('can be destroyed before its first write', async () => {
    const record = test.newRecord();
    await test.storage.destroyRecord(record.userId);
    await expect(record.create(OBSERVATION, newId(), content('"a":1'))).rejects.toThrow(RecordDestroyedError);
  });

  it('has no rows of concurrent writes', async () => {
    const record = test.newRecord();
    await record.create(OBSERVATION, newId(), content('"a":1'));
    let destroyed = false;
    const writers = Array.from({ length: 8 }, async () => {
      while (!destroyed) await record.create(OBSERVATION, newId(), content('"a":1')).catch(() => undefined);
    });
    await test.storage.destroyRecord(record.userId);
    destroyed = true;
    await Promise.all(writers);
    for (const table of ['resource', 'resource_history', 'block']) {
      const { rows } = await test.pool.query(`SELECT FROM fhir_store.${table} WHERE user_id = $1`, [record.userId]);
      expect(rows).toEqual([]);
    }
  });
});
