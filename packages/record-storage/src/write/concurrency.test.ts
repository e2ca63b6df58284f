import { waitUntil } from '@tributary/test-environment';
import type { PoolClient } from 'pg';
import { bigintArray } from '../postgres/binary-arrays';
import { type Statement, run } from '../postgres/statement';
import { OBSERVATION, type TestStorage, content, newId, openTestStorage } from '../../test/storage';
import { ContentionError, VersionConflictError } from '../errors';
import { RecordStorage } from '../record-storage';
import type { UserRecord } from '../user-record';
import { insertResource, removeResource } from './single-write';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

/** The versions of a resource, the first one first; a deletion is marked. */
async function versionsOf(record: UserRecord, id: string): Promise<string[]> {
  const { versions } = await record.history({ scope: { typeCode: OBSERVATION, id }, limit: 10_000 });
  return versions.map(({ version, deleted }) => `${version}${deleted ? ' deleted' : ''}`).reverse();
}

/** Runs the work in a transaction of its own that stays open until `meanwhile` waits for it. */
async function whileOpen<T>(
  work: (connection: PoolClient) => Promise<unknown>,
  meanwhile: () => Promise<T>,
): Promise<T> {
  const connection = await test.pool.connect();
  try {
    await connection.query('BEGIN');
    await work(connection);
    let isOver = false;
    const waiting = meanwhile().finally(() => (isOver = true));
    const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const waiters = 'SELECT FROM pg_stat_activity WHERE $1::integer = ANY (pg_blocking_pids(pid))';
    await waitUntil(async () => isOver || (await test.pool.query(waiters, [rows[0]?.pid])).rowCount);
    await connection.query('COMMIT');
    return await waiting;
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
}

/** Runs a single write on a connection; one whose time came too late is refused, and is sent again with a later one. */
async function write(
  connection: PoolClient,
  statement: Statement,
  parameters: (at: number) => unknown[],
): Promise<void> {
  for (;;) {
    const [row] = await run(connection, statement, parameters(Date.now() + 200));
    if (row?.[2]) return;
  }
}

function deleteFirstVersion(record: UserRecord, id: string): (connection: PoolClient) => Promise<void> {
  return (connection) => write(connection, removeResource, (at) => [record.userId, at, OBSERVATION, id, 1]);
}

describe('a batch that waits for a deletion', () => {
  it('continues its version numbers', async () => {
    const record = test.newRecord();
    const id = newId();
    await record.create(OBSERVATION, id, content('"a":1'));
    const outcomes = await whileOpen(deleteFirstVersion(record, id), () =>
      record.write([{ typeCode: OBSERVATION, id, ...content('"a":3') }]),
    );
    expect(outcomes).toMatchObject([{ outcome: 'created', version: 3 }]);
    expect(await record.update(OBSERVATION, id, content('"a":4'))).toMatchObject({ version: 4 });
    expect(await record.delete(OBSERVATION, id)).toMatchObject({ version: 5 });
    expect(await versionsOf(record, id)).toEqual(['1', '2 deleted', '3', '4', '5 deleted']);
  });

  it('does not delete a resource twice', async () => {
    const record = test.newRecord();
    const id = newId();
    await record.create(OBSERVATION, id, content('"a":1'));
    const outcomes = await whileOpen(deleteFirstVersion(record, id), () =>
      record.write([{ typeCode: OBSERVATION, id, delete: true }]),
    );
    expect(outcomes).toMatchObject([{ outcome: 'absent', version: 2 }]);
    expect(await versionsOf(record, id)).toEqual(['1', '2 deleted']);
  });
});

it('writers of all kinds at once leave a contiguous history with every acknowledged version', async () => {
  const record = test.newRecord();
  const ids = Array.from({ length: 4 }, newId);
  const acknowledged = new Map<string, string>();
  const acknowledge = (id: string, version: number, text: string): void => {
    expect(acknowledged.get(`${id}/${version}`)).toBeUndefined();
    acknowledged.set(`${id}/${version}`, text);
  };
  const turns = Array.from({ length: 25 }, (_, turn) => turn);
  const updating = async (writer: number): Promise<void> => {
    for (const turn of turns) {
      const [id, text] = [ids[(turn + writer) % 4] as string, `"by":"${writer}-${turn}"`];
      acknowledge(id, (await record.update(OBSERVATION, id, content(text))).version, text);
    }
  };
  const deleting = async (writer: number): Promise<void> => {
    for (const turn of turns) {
      const id = ids[(turn * 3 + writer) % 4] as string;
      const deleted = await record.delete(OBSERVATION, id);
      if (deleted) acknowledge(id, deleted.version, 'deleted');
    }
  };
  const batching = async (writer: number): Promise<void> => {
    for (const turn of turns) {
      const [first, second] = [ids[turn % 4] as string, ids[(turn + 1 + writer) % 4] as string];
      const text = `"by":"${writer}-${turn}"`;
      const changes =
        first === second
          ? []
          : [
              { typeCode: OBSERVATION, id: first, ...content(text) },
              { typeCode: OBSERVATION, id: second, delete: true as const },
            ];
      for (const { id, version, outcome } of await record.write(changes)) {
        if (outcome !== 'absent') acknowledge(id, version, outcome === 'deleted' ? 'deleted' : text);
      }
    }
  };
  const merging = async (): Promise<void> => {
    for (const _turn of turns) await test.storage.compactRecord(record.userId);
  };
  await Promise.all([updating(0), updating(1), deleting(2), deleting(3), batching(4), batching(5), merging()]);

  const { versions } = await record.history({ scope: 'record', limit: 10_000 });
  for (const id of ids) {
    const numbers = versions.filter((each) => each.id === id).map(({ version }) => version);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => numbers.length - i));
  }
  expect(versions).toHaveLength(acknowledged.size);
  for (const { id, version, deleted, json } of versions) {
    const text = acknowledged.get(`${id}/${version}`);
    if (deleted) expect(text).toBe('deleted');
    else expect(json?.toString()).toContain(text);
    expect((await record.readVersion(OBSERVATION, id, version))?.json).toEqual(json);
  }
});

it('a batch never writes over a version that it did not decide on', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"a":0'));
  const id = newId();
  // Against the rule: a create under an id that somebody else writes, too.
  const outcomes = await whileOpen(
    (connection) =>
      write(connection, insertResource, (at) => [
        record.userId,
        at,
        OBSERVATION,
        id,
        '1',
        1,
        Buffer.of(0),
        bigintArray([]),
        null,
        null,
      ]),
    () => record.write([{ typeCode: OBSERVATION, id, ...content('"a":2') }]),
  );
  expect(outcomes).toMatchObject([{ outcome: 'updated', version: 2 }]);
  const { rows } = await test.pool.query(
    'SELECT version, deleted FROM fhir_store.resource_history WHERE user_id = $1 AND id = $2',
    [record.userId, id],
  );
  expect(rows).toEqual([{ version: 1, deleted: false }]);
});

it('a write whose snapshot does not show that the record is destroyed leaves no row', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"a":0'));
  const writer = await test.pool.connect();
  try {
    // As a statement that stands still after it took its snapshot.
    await writer.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await writer.query('LOCK TABLE fhir_store.resource IN ROW EXCLUSIVE MODE');
    await writer.query('SELECT 1');
    const destroyed = test.storage.destroyRecord(record.userId);
    const isDestroyed = 'SELECT FROM fhir_store.record WHERE user_id = $1 AND destroyed_at IS NOT NULL';
    await waitUntil(async () => (await test.pool.query(isDestroyed, [record.userId])).rowCount);
    await write(writer, insertResource, (at) => [
      record.userId,
      at,
      OBSERVATION,
      newId(),
      '1',
      1,
      Buffer.of(0),
      bigintArray([]),
      null,
      null,
    ]);
    await writer.query('COMMIT');
    await destroyed;
    const { rows } = await test.pool.query(
      'SELECT FROM fhir_store.resource WHERE user_id = $1 UNION ALL SELECT FROM fhir_store.block WHERE user_id = $1',
      [record.userId],
    );
    expect(rows).toEqual([]);
  } finally {
    await writer.query('ROLLBACK');
    writer.release();
  }
});

describe('the pool', () => {
  it('keeps its connections when writes conflict', async () => {
    const record = test.newRecord();
    const id = newId();
    await record.create(OBSERVATION, id, content('"a":1'));
    let removed = 0;
    const count = (): void => void removed++;
    test.pool.on('remove', count);
    for (let i = 0; i < 10; i++) {
      await expect(
        record.write([{ typeCode: OBSERVATION, id, ...content('"a":2'), expectedVersion: 7 }]),
      ).rejects.toThrow(VersionConflictError);
    }
    test.pool.off('remove', count);
    expect(removed).toBe(0);
  });

  it('has connections for other users while batches of one user wait', async () => {
    const [record, other] = [test.newRecord(), test.newRecord()];
    const id = newId();
    await record.create(OBSERVATION, newId(), content('"a":0'));
    await other.create(OBSERVATION, id, content('"a":0'));
    const fresh = new RecordStorage({ pool: test.pool, kek: test.kek });
    const connections = test.pool.options.max as number;
    const holder = await test.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM fhir_store.record WHERE user_id = $1 FOR UPDATE', [record.userId]);
      const waiting = Array.from({ length: 2 * connections }, () =>
        record.write([{ typeCode: OBSERVATION, id: newId(), ...content('"a":1') }]),
      );
      // Neither a read with a key that is not known yet nor a batch of another user waits for them.
      expect(await fresh.record(other.userId, other.clientId).read(OBSERVATION, id)).toBeDefined();
      expect(await other.write([{ typeCode: OBSERVATION, id, ...content('"a":1') }])).toMatchObject([{ version: 2 }]);
      await holder.query('COMMIT');
      expect(await Promise.all(waiting)).toHaveLength(2 * connections);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
      await fresh.close();
    }
  });

  it('limits the number of waiting batches of one user', async () => {
    const record = test.newRecord();
    await record.create(OBSERVATION, newId(), content('"a":0'));
    const tries = await Promise.allSettled(
      Array.from({ length: 150 }, () => record.write([{ typeCode: OBSERVATION, id: newId(), ...content('"a":1') }])),
    );
    const refused = tries.filter((each) => each.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(ContentionError);
    expect((await record.history({ scope: 'record', limit: 1000 })).versions).toHaveLength(
      1 + tries.length - refused.length,
    );
  });
});

it('an update that has waited for a compaction marks the block that the compaction has written', async () => {
  const record = test.newRecord();
  const id = newId();
  await record.create(OBSERVATION, id, content('"a":1'));
  const compaction = async (connection: PoolClient): Promise<void> => {
    const columns = 'entry_count, plain_bytes, written_at, min_last_updated, max_last_updated, content';
    await connection.query(
      `INSERT INTO fhir_store.block (user_id, type_code, block_id, ${columns})
      SELECT user_id, type_code, block_id + 1, ${columns} FROM fhir_store.block WHERE user_id = $1`,
      [record.userId],
    );
    await connection.query('UPDATE fhir_store.resource SET block_id = block_id + 1 WHERE user_id = $1', [
      record.userId,
    ]);
  };
  await whileOpen(compaction, () => record.update(OBSERVATION, id, content('"a":2')));
  const { rows } = await test.pool.query(
    `SELECT b.first_superseded_at IS NOT NULL AS marked FROM fhir_store.resource_history h
    JOIN fhir_store.block b USING (user_id, type_code, block_id) WHERE user_id = $1`,
    [record.userId],
  );
  expect(rows).toEqual([{ marked: true }]);
});
