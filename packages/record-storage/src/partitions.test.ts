import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Condition } from '@tributary/fhir-search';
import { Client, Pool, type QueryConfig } from 'pg';
import { RecordStorage } from './record-storage';
import { findChanges, findRows, readResources } from './search/memory/live-statements';
import type { Order } from './search/order';
import {
  CONDITION,
  OBSERVATION,
  type TestStorage,
  content,
  loadIntoMemory,
  newId,
  openTestStorage,
} from '../test/storage';
import { MemoryObjects } from '../test/memory-objects';
import type { UserRecord } from './user-record';
import { MAX_LEAD_MS, waitOutLead } from './write/commit-timestamps';

const PARTITIONS = 4;
/** Each in a block of its own. */
const RESOURCES = 300;
/** More than a statement for two resources and their blocks reads. */
const FEW_ROWS = 10;

/**
 * Folders whose statements serve no FHIR request: exports read many records, maintenance runs in the background; and
 * the migrations.
 */
const OTHER_WORK = ['export', 'maintenance', 'schema'];
/** Statements elsewhere that serve exports. */
const OF_EXPORTS: ReadonlySet<string> = new Set(['record-key-find-many']);
/** The statements of a search in memory, other than those that load an index. */
const searchesInMemory = [findChanges, findRows, readResources];
let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage({ partitions: PARTITIONS });
});
afterAll(() => test.close());

/**
 * The names of the prepared statements in the sources, or the prefixes of the names where each shape of a search has
 * its own name. New statements are found without a change of this test.
 */
function statementsInSources(folder = __dirname): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return OTHER_WORK.includes(entry.name) ? [] : statementsInSources(path);
    if (!entry.name.endsWith('.ts') || entry.name.endsWith('.test.ts')) return [];
    const text = readFileSync(path, 'utf8');
    const names = [...text.matchAll(/\bname: '([a-z-]+)',\s*text:|\bprepared(?:ForUser)?\('([a-z-]+)'/g)].map(
      ([, name, prefix]) => name ?? prefix ?? '',
    );
    // Every statement must be found: the expression does not match one that is declared in another form.
    expect([path, names.length]).toEqual([
      path,
      [...text.matchAll(/: Statement = \{|\bprepared(?:ForUser)?\((?!\s*purpose)/g)].length,
    ]);
    return names;
  });
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly 'Actual Loops'?: number;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Subplans Removed'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface ExecutedPlan {
  readonly 'Query Text': string;
  readonly Plan: PlanNode;
}

/**
 * The executed nodes of a plan that read tables. The partition that a statement writes to follows from the rows that it
 * reads, or from the routing of the row.
 */
function scansOf(node: PlanNode): PlanNode[] {
  const own =
    node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable' && node['Actual Loops'] !== 0
      ? [node]
      : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

/** The rows of the schema's own tables that a statement has read. */
function rowsRead(plan: PlanNode): number {
  return scansOf(plan)
    .filter((scan) => !scan['Relation Name']?.startsWith('pg_'))
    .map((scan) => (scan['Actual Loops'] ?? 0) * ((scan['Actual Rows'] ?? 0) + (scan['Rows Removed by Filter'] ?? 0)))
    .reduce((sum, rows) => sum + rows, 0);
}

function removedFrom(node: PlanNode): number {
  return (node['Subplans Removed'] ?? 0) + (node.Plans ?? []).reduce((sum, each) => sum + removedFrom(each), 0);
}

interface Executed {
  /** The statements' names, or texts where they have none. */
  readonly statements: Set<string>;
  readonly plans: ExecutedPlan[];
}

/** What the work sends to the database, with the plan of each statement as PostgreSQL itself carried it out. */
async function executed(
  planCacheMode: string,
  work: (storage: RecordStorage, pool: Pool) => Promise<unknown>,
): Promise<Executed> {
  const settings = {
    plan_cache_mode: planCacheMode,
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': 0,
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_format': 'json',
    client_min_messages: 'log',
  };
  const pool = new Pool({
    ...test.pool.options,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  });
  pool.on('error', () => undefined);
  const storage = new RecordStorage({
    pool,
    kek: test.kek,
    objects: new MemoryObjects(),
    searchedInMemoryFrom: RESOURCES,
  });
  const [query, emit] = [jest.spyOn(Client.prototype, 'query'), jest.spyOn(Client.prototype, 'emit')];
  try {
    await work(storage, pool);
    await storage.close();
    await pool.end();
    const sent = (query.mock.calls as unknown as [string | QueryConfig][]).map(([config]) =>
      typeof config === 'string' ? config : (config.name ?? config.text),
    );
    const told = (emit.mock.calls as unknown as [string, { message?: string } | undefined][]).flatMap(
      ([event, notice]) => (event === 'notice' ? (/plan:\s*(\{.*\})/s.exec(notice?.message ?? '')?.[1] ?? []) : []),
    );
    return { statements: new Set(sent), plans: told.map((plan) => JSON.parse(plan) as ExecutedPlan) };
  } finally {
    query.mockRestore();
    emit.mockRestore();
  }
}

const index = { terms: ['t', 'u'], ranges: [{ name: 'date', kind: 'date' as const, low: 1, high: 2 }] };

/** One condition for each operator. */
const conditions: Record<Condition['op'], Condition> = {
  all: { op: 'all' },
  outdated: { op: 'outdated' },
  'any-term': { op: 'any-term', terms: ['t', 'other'] },
  range: { op: 'range', name: 'date', kind: 'date', repeats: true, low: { ge: 0 } },
  'has-range': { op: 'has-range', name: 'date' },
  id: { op: 'id', ids: [newId()] },
  'last-updated': { op: 'last-updated', ge: 0 },
  and: {
    op: 'and',
    of: [
      { op: 'any-term', terms: ['t'] },
      { op: 'range', name: 'date', kind: 'date', repeats: false, high: { le: 5 } },
    ],
  },
  or: {
    op: 'or',
    of: [
      { op: 'any-term', terms: ['t'] },
      { op: 'has-range', name: 'date' },
    ],
  },
  not: { op: 'not', of: { op: 'any-term', terms: ['v'] } },
};

const orders: Record<Order['by'], Order> = {
  'last-updated': { by: 'last-updated', descending: true },
  id: { by: 'id' },
  range: { by: 'range', name: 'date', kind: 'date', repeats: false },
};

/** The searches and histories, which read all resources of some types. */
async function everyScan(record: UserRecord): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await everySearch(record);
    for (const scope of [
      { typeCode: CONDITION, id: newId() },
      { typeCodes: [CONDITION, OBSERVATION] },
      'record' as const,
    ]) {
      const { next } = await record.history({ scope, limit: 1, total: true });
      await record.history({
        scope,
        since: 0,
        at: { low: 0, high: 2 ** 50 },
        limit: 1,
        ...(next ? { after: next } : {}),
      });
    }
  }
}

/** Every other operation of FHIR requests on a record, twice, so that every statement is also prepared. */
async function everyLookUp(record: UserRecord): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const id = newId();
    await record.create(OBSERVATION, id, content('"a":1', index));
    await record.update(OBSERVATION, id, content('"a":2', index));
    await record.update(OBSERVATION, id, content('"a":3', index), 2);
    await record.update(OBSERVATION, newId(), content('"a":1', index));
    const [data, unused] = await Promise.all([0, 1].map(() => record.storeContent(Readable.from([Buffer.from('a')]))));
    await record.create(OBSERVATION, newId(), content(`"a":"${data}"`, index));
    await record.discardContent(unused as string);
    const [a, b] = [newId(), newId()];
    await record.write([a, b].map((each) => ({ typeCode: CONDITION, id: each, ...content('"a":1', index) })));
    await record.write([
      { typeCode: CONDITION, id: a, ...content('"a":2', index) },
      { typeCode: CONDITION, id: b, delete: true },
    ]);
    await record.read(CONDITION, b);
    await record.write([{ typeCode: CONDITION, id: b, ...content('"a":3', index) }]);
    await record.transaction((locked) => locked.write([{ typeCode: CONDITION, id: b, ...content('"a":4', index) }]));
    await record.read(CONDITION, a);
    await record.readVersion(CONDITION, a, 1);
    await record.readMany([{ typeCode: CONDITION, id: a }]);
    await record.currentVersions([{ typeCode: CONDITION, id: a }]);
    await record.noteHealthSystem(7);
    expect(await record.healthSystems()).toEqual([7]);
    await record.delete(OBSERVATION, id);
    await record.read(OBSERVATION, id);
  }
}

/** Searches in memory after each kind of change, twice, so that every statement is also prepared. */
async function everySearchInMemory(record: UserRecord): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const id = newId();
    await record.create(CONDITION, id, content('"a":1', index));
    await record.search.page({ typeCodes: [CONDITION], where: conditions.all, limit: 1 });
    await record.delete(CONDITION, id);
    await record.search.page({ typeCodes: [CONDITION], where: conditions.all, limit: 1 });
  }
}

async function everySearch(record: UserRecord): Promise<void> {
  await record.search.countByDay([
    { typeCode: OBSERVATION, dates: ['date', 'other'] },
    { typeCode: CONDITION, dates: [] },
  ]);
  for (const typeCodes of [[OBSERVATION], [OBSERVATION, CONDITION]]) {
    for (const where of Object.values(conditions)) {
      await record.search.page({ typeCodes, where, limit: 1, total: true });
      await record.search.keysPage({ typeCodes, where, limit: 1 });
      await record.search.count(typeCodes, where);
    }
    for (const order of Object.values(orders)) {
      const { next } = await record.search.page({ typeCodes, where: conditions.and, limit: 1, order: [order] });
      await record.search.page({
        typeCodes,
        where: conditions.and,
        limit: 1,
        order: [order],
        ...(next ? { after: next } : {}),
      });
    }
  }
}

const partitionOf = ({ 'Relation Name': relation }: PlanNode): string | undefined => /_(\d)$/.exec(relation ?? '')?.[1];

describe.each(['force_custom_plan', 'force_generic_plan'])('with %s', (planCacheMode) => {
  let lookUps: Executed;
  let inMemory: Executed;
  let sent: Executed;
  beforeAll(async () => {
    for (let n = 0; n < 2 * PARTITIONS; n++)
      await test.newRecord().create(OBSERVATION, newId(), content('"a":1', index));
    const { userId, clientId } = test.newRecord(planCacheMode);
    // The version of the index rules is read only for a record with rows of older rules.
    const outdated = test.newRecord();
    await outdated.create(OBSERVATION, newId(), content('"a":1', index));
    await test.pool.query('UPDATE fhir_store.record SET index_version = 1 WHERE user_id = $1', [outdated.userId]);
    lookUps = await executed(planCacheMode, async (storage, pool) => {
      const record = storage.record(userId, clientId);
      // Plans of empty tables have to serve the grown ones: nothing is analysed here.
      await everyLookUp(record);
      await Promise.all(
        Array.from({ length: RESOURCES }, () => record.create(CONDITION, newId(), content('"a":1', index))),
      );
      await everyLookUp(record);
      // Only writes that take long are waited for.
      await waitOutLead(pool, { at: Date.now(), executedAt: Date.now() - MAX_LEAD_MS - 1 });
      expect(await storage.record(outdated.userId, outdated.clientId).isIndexCurrent()).toBe(false);
    });
    const scans = await executed(planCacheMode, (storage) => everyScan(storage.record(userId, clientId)));
    inMemory = await executed(planCacheMode, async (storage) => {
      const record = storage.record(userId, clientId);
      await loadIntoMemory(record, [CONDITION]);
      await everySearchInMemory(record);
    });
    const all = [lookUps, scans, inMemory];
    sent = {
      statements: new Set(all.flatMap(({ statements }) => [...statements])),
      plans: all.flatMap(({ plans }) => plans),
    };
  });

  it('the requests of this test send every statement of the package', () => {
    const known = statementsInSources();
    expect(known.length).toBeGreaterThan(20);
    const unsent = known.filter(
      (name) =>
        !OF_EXPORTS.has(name) && ![...sent.statements].some((each) => each === name || each.startsWith(`${name}-`)),
    );
    expect(unsent).toEqual([]);
  });

  it('every statement reads only the partition of its user in each table', () => {
    const seen = new Set<string>();
    for (const { 'Query Text': text, Plan } of sent.plans) {
      const scans = scansOf(Plan);
      const partitions = new Set(scans.map(partitionOf).filter((part) => part !== undefined));
      expect({ text, partitions: [...partitions] }).toEqual({ text, partitions: [...partitions].slice(0, 1) });
      if (partitions.size > 0) seen.add(text);
    }
    // The test is not vacuous: the statements read partitions, and PostgreSQL logged the plans of nearly all of them.
    expect(seen.size).toBeGreaterThan(40);
    expect(new Set(sent.plans.map((plan) => plan['Query Text'])).size).toBeGreaterThan(0.9 * sent.statements.size);
  });

  it('every statement of a request for some resources reads them alone, without statistics of the tables', () => {
    const read = lookUps.plans.map(({ 'Query Text': text, Plan }) => ({ text, rows: rowsRead(Plan) }));
    expect(read.filter(({ rows }) => rows > FEW_ROWS)).toEqual([]);
    const ofSearches = inMemory.plans.filter(({ 'Query Text': text }) =>
      searchesInMemory.some(
        (statement) =>
          text.replaceAll(`_${PARTITIONS}_`, '').replaceAll(/\b(record|resource|resource_history|block)\d\b/g, '$1') ===
          statement.text,
      ),
    );
    expect(ofSearches.length).toBeGreaterThan(searchesInMemory.length);
    expect(Math.max(...ofSearches.map(({ Plan }) => rowsRead(Plan)))).toBeLessThanOrEqual(FEW_ROWS);
    expect(Math.max(...sent.plans.map(({ Plan }) => rowsRead(Plan)))).toBeGreaterThan(RESOURCES);
  });

  it('a count by days reads the rows of its user alone', () => {
    const scans = sent.plans
      .filter(({ 'Query Text': text }) => text.includes('AS day, count(*)'))
      .map(({ Plan }) => scansOf(Plan));
    expect(scans.length).toBeGreaterThan(1);
    for (const each of scans) {
      expect(each.map((scan) => scan['Rows Removed by Filter'] ?? 0)).toEqual([0]);
      expect(each.map((scan) => scan['Index Cond'] ?? scan['Recheck Cond'])).toEqual([
        expect.stringContaining('user_id = '),
      ]);
    }
  });

  it('a statement without a user is detected', async () => {
    const { plans } = await executed(planCacheMode, (_storage, pool) =>
      pool.query('SELECT count(*) FROM fhir_store.resource WHERE type_code = $1', [OBSERVATION]),
    );
    expect(plans.flatMap(({ Plan }) => scansOf(Plan).map(partitionOf)).toSorted()).toEqual(['0', '1', '2', '3']);
  });

  it('only generic plans prune partitions at execution', () => {
    const removed = sent.plans.filter(({ Plan }) => removedFrom(Plan) > 0).length;
    // A plan for known values does not hold them at all; one for any values sheds them when the values are there.
    if (planCacheMode === 'force_custom_plan') expect(removed).toBe(0);
    else expect(removed).toBeGreaterThan(40);
  });
});
