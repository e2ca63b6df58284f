import type { IndexValues } from '@tributary/fhir-search';
import { CONDITION, OBSERVATION, type TestStorage, content, newId, openTestStorage } from '../../test/storage';
import type { ExtractIndexValues } from './reindex-record';
import type { RecordProblem, VerifiedRecord } from './verify-record';

/** The rules of the test: a resource is found by its member `n`. */
const indexOf = (n: number): IndexValues => ({
  terms: [`n|${n}`, `odd|${n % 2}`],
  ranges: n % 3 ? [{ name: 'n', kind: 'number', low: n, high: n }] : [],
});
const extractIndexValues: ExtractIndexValues = (_typeCode, json) =>
  indexOf((JSON.parse(json.toString('utf8')) as { n: number }).n);
const resource = (n: number) => content(`"n":${n},"text":"${'x'.repeat((n * 37) % 500)}"`, indexOf(n));

describe.each([0, 3])('the verification of a record, with %i partitions', (partitions) => {
  let test: TestStorage;
  beforeEach(async () => {
    test = await openTestStorage({ partitions });
  });
  afterEach(() => test.close());

  const problems: RecordProblem[] = [];
  beforeEach(() => void problems.splice(0));
  const verify = (userId: number): Promise<VerifiedRecord | undefined> =>
    test.storage.verifyRecord(userId, extractIndexValues, (problem) => problems.push(problem));
  const sql = (text: string, ...values: unknown[]): Promise<unknown> => test.pool.query(text, values);

  it('counts what is there, and finds nothing wrong with updates, deletions and compactions', async () => {
    const record = test.newRecord();
    const ids = Array.from({ length: 1200 }, newId);
    await record.write(ids.map((id, n) => ({ typeCode: n % 2 ? OBSERVATION : CONDITION, id, ...resource(n) })));
    await record.update(CONDITION, ids[0] as string, resource(7));
    await record.delete(OBSERVATION, ids[1] as string);
    await record.delete(CONDITION, ids[2] as string);
    await record.update(CONDITION, ids[2] as string, resource(8));
    await test.storage.compactRecord(record.userId);
    expect(await verify(record.userId)).toMatchObject({ current: 1199, superseded: 3, outdated: 0, problems: 0 });
    expect(problems).toEqual([]);
    expect(await verify(999_999)).toBeUndefined();
  });

  it('finds no problem that concurrent writes and compactions would cause', async () => {
    const record = test.newRecord();
    const ids = Array.from({ length: 60 }, newId);
    await record.write(ids.map((id, n) => ({ typeCode: OBSERVATION, id, ...resource(n) })));
    let isWriting = true;
    const writing = (async () => {
      for (let n = 0; n < 60; n++) {
        const id = ids[n] as string;
        if (n % 4 === 3) await record.delete(OBSERVATION, id);
        else await record.update(OBSERVATION, id, resource(1000 + n));
        if (n % 10 === 5) await test.storage.compactRecord(record.userId);
      }
      isWriting = false;
    })();
    while (isWriting) await verify(record.userId);
    await writing;
    expect(problems).toEqual([]);
  });

  it('finds each kind of damage, and names the block or resource only', async () => {
    const record = test.newRecord();
    const [unindexed, gap, unforced, moved, sealed, outdated] = Array.from({ length: 6 }, newId) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    for (const [n, id] of [unindexed, gap, unforced, moved, sealed, outdated].entries()) {
      await record.create(OBSERVATION, id, resource(n + 1));
      await record.update(OBSERVATION, id, resource(n + 2));
    }
    await sql(`UPDATE fhir_store.resource SET blind_terms = blind_terms[2:] WHERE id = $1`, unindexed);
    await sql(`DELETE FROM fhir_store.resource_history WHERE id = $1`, gap);
    await sql(`UPDATE fhir_store.resource_history SET superseded_at = NULL WHERE id = $1`, unforced);
    await sql(`UPDATE fhir_store.resource SET slot = 7 WHERE id = $1`, moved);
    await sql(`UPDATE fhir_store.resource SET index_version = 1, blind_terms = '{}' WHERE id = $1`, outdated);
    await sql(
      `UPDATE fhir_store.block b SET content = set_byte(content, 40, get_byte(content, 40) # 1) FROM fhir_store.resource r
       WHERE r.id = $1 AND b.user_id = r.user_id AND b.type_code = r.type_code AND b.block_id = r.block_id`,
      sealed,
    );
    expect(await verify(record.userId)).toMatchObject({ current: 6, superseded: 5, outdated: 1, problems: 6 });
    const found = problems.map(({ problem, id }) => [problem, id]);
    expect(found).toEqual(
      expect.arrayContaining([
        ['block-unreadable', undefined],
        ['index-wrong', unindexed],
        ['content-missing', moved],
        ['content-missing', sealed],
        ['history-gap', gap],
        ['history-latest', unforced],
      ]),
    );
    const allowed = new Set(['problem', 'typeCode', 'blockId', 'id', 'version']);
    for (const problem of problems) expect(Object.keys(problem).filter((key) => !allowed.has(key))).toEqual([]);
  });
});
