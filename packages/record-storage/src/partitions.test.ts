import { Client, type QueryConfig } from 'pg';
import { CONDITION, OBSERVATION, type TestStorage, content, newId, openTestStorage } from './testing/storage';

const PARTITIONS = 4;

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage({ partitions: PARTITIONS });
});
afterAll(() => test.close());

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Node Type': string;
  readonly Plans?: readonly PlanNode[];
}

function relationsOf(node: PlanNode): string[] {
  const own = node['Relation Name'] ? [node['Relation Name']] : [];
  return [...own, ...(node.Plans ?? []).flatMap(relationsOf)];
}

/** The statements that the work sends, each text once, with the values of its first use. */
async function statementsOf(work: () => Promise<void>): Promise<Map<string, unknown[]>> {
  const statements = new Map<string, unknown[]>();
  const spy = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    for (const [query, values] of spy.mock.calls as unknown as [string | QueryConfig, unknown[] | undefined][]) {
      const text = typeof query === 'string' ? query : query.text;
      for (const single of text.includes('BEGIN;') ? text.split(';') : [text]) {
        if (/\bfhir_store\.\w/.test(single) && !statements.has(single)) statements.set(single, (typeof query === 'string' ? values : query.values) ?? []);
      }
    }
  } finally {
    spy.mockRestore();
  }
  return statements;
}

it('every statement that serves a request touches the partition of its user only', async () => {
  const record = test.newRecord();
  const other = test.newRecord();
  await other.create(OBSERVATION, newId(), content('"a":1'));
  const statements = await statementsOf(async () => {
    const id = newId();
    const index = { terms: ['t', 'u'], ranges: [{ name: 'date', kind: 'date' as const, low: 1, high: 2 }] };
    await record.create(OBSERVATION, id, content('"a":1', index));
    await record.update(OBSERVATION, id, content('"a":2', index), 1);
    const [a, b] = [newId(), newId()];
    await record.write([a, b].map((each) => ({ kind: CONDITION, id: each, ...content('"a":1', index) })));
    await record.write([{ kind: CONDITION, id: a, ...content('"a":2', index) }, { kind: CONDITION, id: b, delete: true }]);
    await record.write([{ kind: CONDITION, id: b, ...content('"a":3', index) }]);
    await record.read(CONDITION, a);
    await record.readVersion(CONDITION, a, 1);
    await record.readMany([{ kind: CONDITION, id: a }]);
    await record.heads([{ kind: CONDITION, id: a }]);
    for (const kinds of [[OBSERVATION], [OBSERVATION, CONDITION]]) {
      const where = { op: 'and' as const, of: [{ op: 'any-term' as const, terms: ['t'] }, { op: 'range' as const, name: 'date', kind: 'date' as const, repeats: true, low: { ge: 0 } }] };
      const order = [{ by: 'range' as const, name: 'date', kind: 'date' as const, repeats: false }];
      const { next } = await record.search({ kinds, where, limit: 1, total: true, order });
      await record.search({ kinds, where, limit: 1, order, ...(next ? { after: next } : {}) });
      await record.search({ kinds, where: { op: 'all' }, limit: 1 });
      await record.count(kinds, where);
    }
    await record.history({ of: { kind: CONDITION, id: a }, limit: 1, total: true });
    await record.history({ of: 'record', since: 0, limit: 100 });
    await record.delete(OBSERVATION, id);
  });
  expect(statements.size).toBeGreaterThan(20);

  let pruned = 0;
  for (const [text, values] of statements) {
    const { rows } = await test.pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`EXPLAIN (FORMAT JSON) ${text}`, values);
    const relations = relationsOf((rows[0] as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN'][0].Plan);
    const partitions = new Set(relations.map((relation) => relation.match(/_(\d)$/)?.[1]).filter((part) => part !== undefined));
    expect({ text, partitions: [...partitions] }).toEqual({ text, partitions: [...partitions].slice(0, 1) });
    pruned += partitions.size;
  }
  // Not vacuous: nearly all of them do name a partition in their plan.
  expect(pruned).toBeGreaterThan(statements.size * 0.9);
});
