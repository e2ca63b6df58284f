import { seededRandom, waitUntil } from '@tributary/test-environment';
import { Client } from 'pg';
import { OBSERVATION, type TestStorage, content, newId, openTestStorage, textOf } from '../../test/storage';
import { partitionRecords } from '../schema/partitioning';
import { UserPartitions, remainderOf } from './user-partitions';
import type { Statement } from './statement';

const statement: Statement = {
  name: 'example',
  text: 'SELECT FROM fhir_store.record, fhir_store.resource_history h, fhir_store.resource, fhir_store.snapshot_floor',
};

async function partition(test: TestStorage, partitions: number): Promise<void> {
  const client = new Client({ connectionString: test.pool.options.connectionString });
  await client.connect();
  try {
    await partitionRecords(client, partitions);
  } finally {
    await client.end();
  }
}

/** The statement for a user, once the partitions are known. */
function learned(partitions: UserPartitions, userId: number): Promise<Statement> {
  return waitUntil(() => partitions.statementFor(statement, userId));
}

let test: TestStorage;
afterEach(() => test.close());

it('computes the partition of a user as PostgreSQL does', async () => {
  const random = seededRandom();
  test = await openTestStorage({ partitions: 1 });
  const users = [
    ...Array.from({ length: 300 }, (_, n) => n),
    ...Array.from({ length: 300 }, () => Math.floor(random() * Number.MAX_SAFE_INTEGER)),
    2 ** 31,
    2 ** 32 - 1,
    2 ** 32,
    Number.MAX_SAFE_INTEGER,
    -1,
    -(2 ** 32),
    -(2 ** 40) - 5,
  ];
  for (const modulus of [1, 2, 3, 16, 32, 60, 64]) {
    const { rows } = await test.pool.query<{ wrong: string[] | null }>(
      `SELECT array_agg(user_id) AS wrong FROM unnest($2::bigint[], $3::integer[]) AS u (user_id, remainder)
       WHERE NOT satisfies_hash_partition('fhir_store.resource'::regclass, $1, remainder, user_id)`,
      [modulus, users, users.map((user) => remainderOf(user, modulus))],
    );
    expect({ modulus, wrong: rows[0]?.wrong }).toEqual({ modulus, wrong: null });
  }
});

it('names the partition of the user in each table of the records, and no other', async () => {
  test = await openTestStorage({ partitions: 4 });
  const remainder = remainderOf(17, 4);
  expect(await learned(new UserPartitions(test.pool), 17)).toEqual({
    name: `example-4-${remainder}`,
    text: `SELECT FROM fhir_store.record_4_${remainder}, fhir_store.resource_history_4_${remainder} h, fhir_store.resource_4_${remainder}, fhir_store.snapshot_floor`,
  });
});

it('names the tables themselves where they have no partitions, or partitions of other names', async () => {
  test = await openTestStorage();
  const unpartitioned = new UserPartitions(test.pool);
  const query = jest.spyOn(test.pool, 'query');
  expect(unpartitioned.statementFor(statement, 1)).toBeUndefined();
  await query.mock.results[0]?.value;
  await new Promise((resolve) => setImmediate(resolve));
  expect(unpartitioned.statementFor(statement, 1)).toBeUndefined();
  // It is known, and is not asked for again.
  expect(query).toHaveBeenCalledTimes(1);
  query.mockRestore();

  await partition(test, 2);
  await test.pool.query('ALTER TABLE fhir_store.resource_2_0 RENAME TO another_name');
  const record = test.newRecord();
  const id = newId();
  await record.create(OBSERVATION, id, content('"a":1'));
  expect(textOf(await record.read(OBSERVATION, id))).toContain('"a":1');
});

it('reads and writes exactly while the records are moved between numbers of partitions', async () => {
  test = await openTestStorage({ partitions: 4 });
  const records = Array.from({ length: 6 }, () => test.newRecord());
  let isOver = false;
  let rounds = 0;
  const clients = records.map(async (record) => {
    const written = new Map<string, number>();
    while (!isOver) {
      const id = newId();
      await record.create(OBSERVATION, id, content('"n":1'));
      expect((await record.update(OBSERVATION, id, content('"n":2'), 1)).version).toBe(2);
      expect((await record.update(OBSERVATION, id, content('"n":3'))).version).toBe(3);
      expect((await record.readVersion(OBSERVATION, id, 2))?.version).toBe(2);
      if (rounds % 3 === 0) expect((await record.delete(OBSERVATION, id))?.version).toBe(4);
      written.set(id, (await record.read(OBSERVATION, id))?.version ?? 0);
      rounds++;
    }
    return written;
  });
  // Waits until clients have gone on, in the partitions of this number.
  const query = jest.spyOn(Client.prototype, 'query');
  const someRounds = async (partitions: number): Promise<void> => {
    const until = rounds + 20;
    query.mockClear();
    const isUsed = (): boolean =>
      (query.mock.calls as unknown as [{ name?: string } | string][]).some(
        ([config]) => typeof config !== 'string' && config.name?.startsWith(`read-current-${partitions}-`) === true,
      );
    await waitUntil(() => rounds >= until && (partitions === 0 || isUsed()));
  };
  await someRounds(4);
  for (const partitions of [3, 4, 2, 0]) {
    await partition(test, partitions);
    await someRounds(partitions);
  }
  isOver = true;
  await Promise.all(clients);
  query.mockRestore();
  for (const [index, client] of clients.entries()) {
    const written = await client;
    const { versions } = await records[index]!.history({ scope: 'record', limit: 100_000, total: true });
    const latest = new Map<string, number>();
    for (const { id, version } of versions) latest.set(id, Math.max(latest.get(id) ?? 0, version));
    expect(latest).toEqual(written);
    expect(versions).toHaveLength([...written.values()].reduce((sum, version) => sum + version, 0));
    for (const [id, version] of written) expect((await records[index]!.read(OBSERVATION, id))?.version).toBe(version);
  }
});

it('a transaction that has begun with the tables themselves ends while the records are moved', async () => {
  test = await openTestStorage({ partitions: 2 });
  const record = test.newRecord();
  const id = newId();
  await record.create(OBSERVATION, id, content('"a":1'));
  let moved: Promise<void> | undefined;
  await record.transaction(async (locked) => {
    moved = partition(test, 3);
    await locked.write([{ typeCode: OBSERVATION, id, ...content('"a":2') }]);
  });
  await moved;
  expect((await record.read(OBSERVATION, id))?.version).toBe(2);
});
