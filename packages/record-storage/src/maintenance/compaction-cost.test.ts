import { randomBytes } from 'node:crypto';
import { RecordKeys } from '../keys/record-keys';
import { OBSERVATION, type TestStorage, content, newId, openTestStorage } from '../../test/storage';
import type { UserRecord } from '../user-record';
import { findCurrent, lockCurrent } from './compaction-statements';

const index = { terms: ['t'], ranges: [] };

describe('the cost of compaction', () => {
  let test: TestStorage;
  beforeAll(async () => {
    test = await openTestStorage();
  });
  afterAll(() => test.close());

  const rewrites = async (record: UserRecord): Promise<number> =>
    Number(
      (
        await test.pool.query<{ n: string }>(
          'SELECT coalesce(sum(entry_count), 0) AS n FROM fhir_store.block WHERE user_id = $1 AND written_at > max_last_updated',
          [record.userId],
        )
      ).rows[0]?.n,
    );

  it('rewrites an entry at most three times until its block is full', async () => {
    const record = test.newRecord();
    const creates = 320;
    for (let n = 0; n < creates; n += 4) {
      await Promise.all(Array.from({ length: 4 }, () => record.create(OBSERVATION, newId(), content('"v":1', index))));
      await test.storage.compactRecord(record.userId);
    }
    expect(await rewrites(record)).toBeLessThanOrEqual(3 * creates);
    expect(await rewrites(record)).toBeGreaterThanOrEqual(2 * creates);
  });

  it('rewrites at most seven entries for each update, and compacts once a quarter of a block is superseded', async () => {
    const record = test.newRecord();
    const ids = Array.from({ length: 200 }, newId);
    await record.write(ids.map((id) => ({ typeCode: OBSERVATION, id, ...content('"v":1', index) })));
    let updates = 0;
    for (let round = 0; round < 3; round++) {
      for (const id of ids.filter((_, n) => n % 5 === round)) {
        await record.update(OBSERVATION, id, content('"v":2', index));
        if (++updates % 4 === 0) await test.storage.compactRecord(record.userId);
      }
    }
    expect(await rewrites(record)).toBeLessThanOrEqual(7 * updates);
    const { rows } = await test.pool.query(
      'SELECT FROM fhir_store.block WHERE user_id = $1 AND retired_at IS NULL AND history',
      [record.userId],
    );
    expect(rows.length).toBeGreaterThan(0);
  });

  it.each([
    ['find', findCurrent],
    ['lock', lockCurrent],
  ])('%ss entries by their keys, also before PostgreSQL has statistics about the table', async (_, { text }) => {
    const record = test.newRecord();
    const ids = Array.from({ length: 600 }, newId);
    await record.write(ids.map((id) => ({ typeCode: OBSERVATION, id, ...content('"v":1', index) })));
    const some = ids.slice(0, 200);
    const { rows } = await test.pool.query<{ version: number; block_id: string; slot: number }>(
      'SELECT r.version, r.block_id, r.slot FROM unnest($2::uuid[]) WITH ORDINALITY AS w (id, ordinal) JOIN fhir_store.resource r ON r.user_id = $1 AND r.id = w.id ORDER BY w.ordinal',
      [record.userId, some],
    );
    const array = (values: readonly unknown[]): string => `'{${values.join()}}'`;
    const columns = [
      array(some),
      array(rows.map(({ version }) => version)),
      array(rows.map(({ block_id: blockId }) => blockId)),
      array(rows.map(({ slot }) => slot)),
    ];
    // Planned once, as the role of the store does it: for arrays of which nothing is known.
    const client = await test.pool.connect();
    try {
      await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE lookup (bigint, smallint) AS ${text}`);
      const { rows: plans } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE lookup (${[record.userId, OBSERVATION, ...columns].join()})`,
      );
      const plan = plans[0]?.['QUERY PLAN'][0].Plan as PlanNode;
      expect([plan['Actual Rows'], rowsPassedOver(plan) < 200]).toEqual([200, true]);
    } finally {
      client.release(true);
    }
  });

  interface PlanNode {
    readonly 'Actual Rows': number;
    readonly 'Actual Loops': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly 'Rows Removed by Join Filter'?: number;
    readonly Plans?: readonly PlanNode[];
  }

  function rowsPassedOver(node: PlanNode): number {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
    return removed * node['Actual Loops'] + (node.Plans ?? []).reduce((sum, each) => sum + rowsPassedOver(each), 0);
  }

  it('opens and seals one block per iteration of the event loop', async () => {
    const record = test.newRecord();
    const members = `"note":"${randomBytes(3000).toString('hex')}"`;
    for (let n = 0; n < 16; n++)
      await record.write(
        Array.from({ length: 5 }, () => ({ typeCode: OBSERVATION, id: newId(), ...content(members, index) })),
      );
    let [inThisTurn, atMost, total, isRunning] = [0, 0, 0, true];
    const endOfTurn = (): void => {
      atMost = Math.max(atMost, inThisTurn);
      inThisTurn = 0;
      if (isRunning) setImmediate(endOfTurn);
    };
    const { openBlock, sealBlock } = RecordKeys.prototype;
    const open = jest.spyOn(RecordKeys.prototype, 'openBlock').mockImplementation(function (
      this: RecordKeys,
      ...parameters
    ) {
      const content_ = openBlock.apply(this, parameters);
      inThisTurn += content_.readUInt32BE(4);
      total += content_.readUInt32BE(4);
      return content_;
    });
    const seal = jest.spyOn(RecordKeys.prototype, 'sealBlock').mockImplementation(function (
      this: RecordKeys,
      ...parameters
    ) {
      inThisTurn += parameters[2].readUInt32BE(4);
      total += parameters[2].readUInt32BE(4);
      return sealBlock.apply(this, parameters);
    });
    try {
      setImmediate(endOfTurn);
      await test.storage.compactRecord(record.userId);
    } finally {
      isRunning = false;
      open.mockRestore();
      seal.mockRestore();
    }
    expect(total).toBeGreaterThan(900_000);
    expect(atMost).toBeLessThan(200_000);
  });
});
