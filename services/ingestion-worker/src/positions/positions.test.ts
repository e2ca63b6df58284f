import { randomUUID } from 'node:crypto';
import { type ConnectionStatus, type ConnectionsClient } from '@tributary/contracts';
import { DataKey, LocalKeyEncryptionKey, ScopedKeys } from '@tributary/key-vault';
import { createLog, openDatabase } from '@tributary/service-kit';
import { createDatabase } from '@tributary/test-environment';
import { DataSource } from 'typeorm';
import { emptyProgress } from '../collection/progress';
import { databaseSchema } from '../config';
import { keyFile } from '../stand-ins/worker.fixture';
import { AttemptSuperseded } from './attempt';
import { CheckpointSweep } from './checkpoint-sweep';
import { migrations } from './migrations';
import { collectionEntity, positionEntity } from './position';
import { type Position, Positions } from './positions';

let test: Awaited<ReturnType<typeof createDatabase>>;
let database: DataSource;
let positions: Positions;
let keys: ScopedKeys;

beforeAll(async () => {
  test = await createDatabase();
  database = await openDatabase({
    database: test.url,
    schema: databaseSchema,
    entities: [collectionEntity, positionEntity],
    migrations,
  });
  const kek = await LocalKeyEncryptionKey.fromFile(keyFile());
  keys = new ScopedKeys({ run: (sql, values) => database.query(sql, values), kek });
  positions = new Positions(database, keys);
});

afterAll(async () => {
  await database?.destroy();
  await test?.drop();
});

const at = (type: string, page?: string, done = false): Position => ({
  type,
  cursor: { searches: [`${type}?patient=p`], page },
  progress: { ...emptyProgress(type), done },
});

async function keptOf(connectionId: string): Promise<{ collections: number; positions: number; keys: number }> {
  const ids = (
    (await database.query('SELECT collection_id FROM collection WHERE connection_id = $1', [connectionId])) as {
      collection_id: string;
    }[]
  ).map(({ collection_id }) => collection_id);
  const [{ rows }] = (await database.query(
    'SELECT count(*)::int AS rows FROM position WHERE collection_id = ANY ($1)',
    [ids],
  )) as [{ rows: number }];
  const [{ found }] = (await database.query('SELECT count(*)::int AS found FROM data_key WHERE scope = ANY ($1)', [
    ids.map((id) => `collection ${id}`),
  ])) as [{ found: number }];
  return { collections: ids.length, positions: rows, keys: found };
}

function sweepWith(statuses: Record<string, ConnectionStatus>): CheckpointSweep {
  const connections = {
    statuses: (ids: string[]) =>
      Promise.resolve(new Map(ids.flatMap((id) => (statuses[id] ? [[id, statuses[id]] as const] : [])))),
  };
  return new CheckpointSweep({
    database,
    keys,
    positions,
    connections: connections as unknown as ConnectionsClient,
    log: createLog('test', 'silent'),
  });
}

it('refuses writes of an attempt that another one has followed, and keeps what the later one wrote', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  const first = await positions.start(connectionId, collectionId);
  await positions.plan(first.attempt, [at('Patient'), at('Observation')]);
  const second = await positions.start(connectionId, collectionId);
  await positions.save(second.attempt, [at('Observation', 'page 7')]);
  await expect(positions.save(first.attempt, [at('Observation', 'page 2')])).rejects.toThrow(AttemptSuperseded);
  await expect(positions.complete(first.attempt)).rejects.toThrow(AttemptSuperseded);
  await positions.end(first.attempt, true);
  expect((await positions.find(collectionId))?.find(({ type }) => type === 'Observation')?.cursor.page).toBe('page 7');
  expect((await positions.history(connectionId, collectionId)).crashes).toBe(2);
});

it('lets only the later of two attempts write, however they interleave', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  const { attempt } = await positions.start(connectionId, collectionId);
  await positions.plan(attempt, [at('Observation', 'page 0')]);
  for (let round = 0; round < 20; round++) {
    const [later, ...saves] = await Promise.all([
      positions.start(connectionId, collectionId),
      ...Array.from({ length: 4 }, (_x, index) =>
        positions.save(attempt, [at('Observation', `old ${round} ${index}`)]).catch(() => undefined),
      ),
    ]);
    expect(saves).toHaveLength(4);
    await positions.save(later.attempt, [at('Observation', `new ${round}`)]);
    await expect(positions.save(attempt, [at('Observation', 'stale')])).rejects.toThrow(AttemptSuperseded);
    expect((await positions.find(collectionId))?.[0]?.cursor.page).toBe(`new ${round}`);
  }
});

it('counts attempts that did not end in good order, and those that failed', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  for (let start = 0; start < 2; start++)
    expect((await positions.start(connectionId, collectionId)).history.crashes).toBe(start);
  const third = await positions.start(connectionId, collectionId);
  expect(third.history).toEqual({ crashes: 2, failedAttempts: 0, isolatedCrashes: 0, isIsolated: false });
  await positions.end(third.attempt, true);
  const fourth = await positions.start(connectionId, collectionId);
  expect(fourth.history).toEqual({ crashes: 0, failedAttempts: 1, isolatedCrashes: 0, isIsolated: false });
  await positions.crashedAlone(fourth.attempt);
  await positions.settle(collectionId);
  // The next collection of the connection knows.
  expect((await positions.start(connectionId, randomUUID())).history).toEqual({
    crashes: 0,
    failedAttempts: 0,
    isolatedCrashes: 0,
    isIsolated: true,
  });
});

it('keeps no cursor and no key of a completed collection, but what it got', async () => {
  const connectionId = randomUUID();
  const [old, next] = [randomUUID(), randomUUID()];
  const begun = await positions.start(connectionId, old);
  await positions.plan(begun.attempt, [at('Patient', undefined, true)]);
  const { attempt } = await positions.start(connectionId, next);
  await positions.plan(attempt, [
    at('Patient', undefined, true),
    at('Observation', undefined, true),
    { ...at('Condition', undefined, true), cursor: { searches: [], isRefused: true } },
  ]);
  expect(await keptOf(connectionId)).toEqual({ collections: 1, positions: 3, keys: 1 });
  await positions.complete(attempt);
  await positions.settle(next);
  expect(await keptOf(connectionId)).toEqual({ collections: 1, positions: 0, keys: 0 });
  expect([...((await positions.earlier(connectionId))?.wholeTypes ?? [])]).toEqual(['Observation', 'Patient']);
});

it('deletes what is kept of connections that are gone, and checkpoints of collections that have ended', async () => {
  const [deleted, revoked, ended, live] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  for (const connectionId of [deleted, revoked, ended, live]) {
    const { attempt } = await positions.start(connectionId, randomUUID());
    await positions.plan(attempt, [at('Patient', 'a page')]);
  }
  await keys.keyFor(`collection ${randomUUID()}`);
  await database.query('UPDATE collection SET check_at = now()');
  await Promise.all(
    [1, 2].map(() => sweepWith({ [revoked]: 'revoked', [ended]: 'active', [live]: 'collecting' }).run()),
  );
  const gone = { collections: 0, positions: 0, keys: 0 };
  expect(await Promise.all([deleted, revoked, ended, live].map(keptOf))).toEqual([
    gone,
    gone,
    gone,
    { collections: 1, positions: 1, keys: 1 },
  ]);
  const [{ orphans }] = (await database.query(
    `SELECT count(*)::int AS orphans FROM data_key WHERE NOT EXISTS (SELECT FROM collection WHERE scope = 'collection ' || collection_id)`,
  )) as [{ orphans: number }];
  expect(orphans).toBe(0);
});

it('takes over the whole types of completed collections when it is upgraded, and no cursor', async () => {
  const other = await createDatabase();
  const old = await openDatabase({
    database: other.url,
    schema: databaseSchema,
    entities: [],
    migrations: migrations.slice(0, 4),
  });
  const connectionId = randomUUID();
  const [completed, underWay] = [randomUUID(), randomUUID()];
  const sealed = DataKey.generate().sealText('{}', 'x');
  await old.query(
    'INSERT INTO collection (collection_id, connection_id, started_at, completed_at) VALUES ($1, $3, now(), now()), ($2, $3, now(), NULL)',
    [completed, underWay, connectionId],
  );
  for (const id of [completed, underWay])
    for (const [type, whole] of [
      ['Patient', true],
      ['Condition', false],
    ] as const)
      await old.query('INSERT INTO position VALUES ($1, $2, $3, $4, $5)', [id, type, sealed, '{}', whole]);
  await old.query(`INSERT INTO data_key (scope, wrapped) VALUES ('positions', 'x')`);
  await old.destroy();
  const upgraded = await openDatabase({
    database: other.url,
    schema: databaseSchema,
    entities: [collectionEntity, positionEntity],
    migrations,
  });
  const after = new Positions(
    upgraded,
    new ScopedKeys({
      run: (sql, values) => upgraded.query(sql, values),
      kek: await LocalKeyEncryptionKey.fromFile(keyFile()),
    }),
  );
  expect([...((await after.earlier(connectionId))?.wholeTypes ?? [])]).toEqual(['Patient']);
  expect(await after.find(underWay)).toBeUndefined();
  expect(await upgraded.query('SELECT scope FROM data_key')).toEqual([]);
  await upgraded.destroy();
  await other.drop();
});
