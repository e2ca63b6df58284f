import { type TestStorage, OBSERVATION, content, newId, openTestStorage } from '../../test/storage';
import { type ListedBlock } from './listed-block';
import { contentsOf } from './read-blocks';

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly PlanNode[];
}

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage({ partitions: 4 });
});
afterAll(() => test.close());

/** Rows that the scans of a plan returned. */
function rowsRead(node: PlanNode): number {
  const own =
    node['Relation Name'] === undefined ? 0 : (node['Actual Rows'] ?? 0) * Math.max(1, node['Actual Loops'] ?? 0);
  return own + (node.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0);
}

it('reads no blocks but those of the list', async () => {
  const users = 40;
  const blocksOfUser = 25;
  for (let user = 1; user <= users; user++) {
    const record = test.newRecord();
    for (let i = 0; i < blocksOfUser; i++) await record.create(OBSERVATION, newId(), content('"a":1'));
  }
  await test.pool.query('ANALYZE fhir_store.block');
  const { rows } = await test.pool.query(
    'SELECT user_id::integer AS "userId", type_code AS "typeCode", block_id AS "blockId" FROM fhir_store.block ORDER BY user_id, block_id',
  );
  const listed = (rows as ListedBlock[]).filter((_, i) => i % 3 === 0);
  const connection = await test.pool.connect();
  try {
    // The setting of the role that owns the storage (session-settings.ts).
    await connection.query('SET enable_seqscan = off');
    const explained = await connection.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${contentsOf(listed)}`);
    const [{ Plan: plan }] = explained.rows[0]['QUERY PLAN'] as [{ Plan: PlanNode }];
    expect(plan['Actual Rows']).toBe(listed.length);
    expect(rowsRead(plan)).toBe(listed.length);
  } finally {
    connection.release();
  }
});
