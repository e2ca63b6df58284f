import { randomUUID } from 'node:crypto';
import { type ConnectionStatus, type ConnectionsClient } from '@tributary/contracts';
import { LocalKeyEncryptionKey, ScopedKeys } from '@tributary/key-vault';
import { createLog, openDatabase } from '@tributary/service-kit';
import { createDatabase } from '@tributary/test-environment';
import { DataSource } from 'typeorm';
import { emptyProgress } from '../collection/progress';
import { databaseSchema } from '../config';
import { keyFile } from '../../test/worker';
import { AttemptSuperseded } from './attempt';
import { CheckpointSweep } from './checkpoint-sweep';
import { migrations } from './migrations';
import { Checkpoints, type CollectionCheckpoint } from './checkpoints';
import { collectionCheckpointEntity, collectionEntity } from './tables';
import type { FullSearch } from './verification-state';

let test: Awaited<ReturnType<typeof createDatabase>>;
let database: DataSource;
let checkpoints: Checkpoints;
let keys: ScopedKeys;

beforeAll(async () => {
  test = await createDatabase();
  database = await openDatabase({
    database: test.url,
    schema: databaseSchema,
    entities: [collectionEntity, collectionCheckpointEntity],
    migrations,
  });
  const kek = await LocalKeyEncryptionKey.fromFile(keyFile());
  keys = new ScopedKeys({ run: (sql, values) => database.query(sql, values), kek });
  checkpoints = new Checkpoints(database, keys);
});

afterAll(async () => {
  await database?.destroy();
  await test?.drop();
});

const at = (type: string, page?: string, done = false): CollectionCheckpoint => ({
  type,
  search: { remaining: [`${type}?patient=p`], page },
  progress: { ...emptyProgress(type, 'full'), done },
});

async function keptOf(connectionId: string): Promise<{ collections: number; checkpoints: number; keys: number }> {
  const ids = (
    (await database.query('SELECT collection_id FROM collection WHERE connection_id = $1', [connectionId])) as {
      collection_id: string;
    }[]
  ).map(({ collection_id }) => collection_id);
  const [{ rows }] = (await database.query(
    'SELECT count(*)::int AS rows FROM collection_checkpoint WHERE collection_id = ANY ($1)',
    [ids],
  )) as [{ rows: number }];
  const [{ found }] = (await database.query('SELECT count(*)::int AS found FROM data_key WHERE scope = ANY ($1)', [
    ids.map((id) => `collection ${id}`),
  ])) as [{ found: number }];
  return { collections: ids.length, checkpoints: rows, keys: found };
}

function sweepWith(statuses: Record<string, ConnectionStatus>): CheckpointSweep {
  const connections = {
    statuses: (ids: string[]) =>
      Promise.resolve(new Map(ids.flatMap((id) => (statuses[id] ? [[id, statuses[id]] as const] : [])))),
  };
  return new CheckpointSweep({
    database,
    keys,
    checkpoints,
    connections: connections as unknown as ConnectionsClient,
    log: createLog('test', 'silent'),
  });
}

it('refuses writes of a superseded attempt, and keeps what the later attempt wrote', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  const first = await checkpoints.startAttempt(connectionId, collectionId);
  await checkpoints.plan(first.attempt, [at('Patient'), at('Observation')]);
  const second = await checkpoints.startAttempt(connectionId, collectionId);
  await checkpoints.save(second.attempt, [at('Observation', 'page 7')]);
  await expect(checkpoints.save(first.attempt, [at('Observation', 'page 2')])).rejects.toThrow(AttemptSuperseded);
  await expect(checkpoints.complete(first.attempt, [])).rejects.toThrow(AttemptSuperseded);
  await checkpoints.endAttempt(first.attempt, true);
  expect((await checkpoints.find(collectionId))?.find(({ type }) => type === 'Observation')?.search.page).toBe(
    'page 7',
  );
  expect((await checkpoints.history(connectionId, collectionId)).crashes).toBe(2);
});

it('lets only the later of two attempts write, however they interleave', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  const { attempt } = await checkpoints.startAttempt(connectionId, collectionId);
  await checkpoints.plan(attempt, [at('Observation', 'page 0')]);
  for (let round = 0; round < 20; round++) {
    const [later, ...saves] = await Promise.all([
      checkpoints.startAttempt(connectionId, collectionId),
      ...Array.from({ length: 4 }, (_x, index) =>
        checkpoints.save(attempt, [at('Observation', `old ${round} ${index}`)]).catch(() => undefined),
      ),
    ]);
    expect(saves).toHaveLength(4);
    await checkpoints.save(later.attempt, [at('Observation', `new ${round}`)]);
    await expect(checkpoints.save(attempt, [at('Observation', 'stale')])).rejects.toThrow(AttemptSuperseded);
    expect((await checkpoints.find(collectionId))?.[0]?.search.page).toBe(`new ${round}`);
  }
});

it('counts attempts that crashed and attempts that failed', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  for (let start = 0; start < 2; start++)
    expect((await checkpoints.startAttempt(connectionId, collectionId)).history.crashes).toBe(start);
  const third = await checkpoints.startAttempt(connectionId, collectionId);
  expect(third.history).toEqual({ crashes: 2, failedAttempts: 0, isolatedCrashes: 0, isIsolated: false });
  await checkpoints.endAttempt(third.attempt, true);
  const fourth = await checkpoints.startAttempt(connectionId, collectionId);
  expect(fourth.history).toEqual({ crashes: 0, failedAttempts: 1, isolatedCrashes: 0, isIsolated: false });
  await checkpoints.recordIsolatedCrash(fourth.attempt);
  await checkpoints.deleteCheckpoints(collectionId);
  // The next collection of the connection is isolated as well.
  expect((await checkpoints.startAttempt(connectionId, randomUUID())).history).toEqual({
    crashes: 0,
    failedAttempts: 0,
    isolatedCrashes: 0,
    isIsolated: true,
  });
});

it('keeps the complete types of a completed collection, but no checkpoint and no key', async () => {
  const connectionId = randomUUID();
  const [old, next] = [randomUUID(), randomUUID()];
  const begun = await checkpoints.startAttempt(connectionId, old);
  await checkpoints.plan(begun.attempt, [at('Patient', undefined, true)]);
  const { attempt } = await checkpoints.startAttempt(connectionId, next);
  await checkpoints.plan(attempt, [
    { ...at('Patient', undefined, true), search: { remaining: [], answered: 'Patient/1' } },
    { ...at('Observation', undefined, true), search: { remaining: [], answered: 'Observation?patient=1' } },
    { ...at('Condition', undefined, true), search: { remaining: [], answered: 'Condition', isIncomplete: true } },
    at('Device', undefined, true),
  ]);
  expect(await keptOf(connectionId)).toEqual({ collections: 1, checkpoints: 4, keys: 1 });
  await checkpoints.complete(attempt, []);
  await checkpoints.deleteCheckpoints(next);
  expect(await keptOf(connectionId)).toEqual({ collections: 1, checkpoints: 0, keys: 0 });
  expect([...((await checkpoints.earlierCollections(connectionId, 30))?.completeTypes ?? [])]).toEqual([
    'Observation',
    'Patient',
  ]);
});

it('keeps what each page returned with its checkpoint, and nothing of a superseded attempt', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
  const { attempt } = await checkpoints.startAttempt(connectionId, collectionId);
  await checkpoints.plan(attempt, [at('Condition')]);
  const returned = new Map([
    ['Condition', [one, two]],
    ['Practitioner', [three]],
  ]);
  await checkpoints.save(attempt, [at('Condition', 'page 1')], returned);
  const later = await checkpoints.startAttempt(connectionId, collectionId);
  const stale = checkpoints.save(attempt, [at('Condition', 'page 2')], new Map([['Condition', [randomUUID()]]]));
  await expect(stale).rejects.toThrow(AttemptSuperseded);
  await checkpoints.save(later.attempt, [at('Condition', 'page 2')], new Map([['Condition', [three]]]));
  expect((await checkpoints.returnedIds(collectionId, 'Condition')).sort()).toEqual([one, two, three].sort());
  expect(await checkpoints.returnedIds(collectionId, 'Practitioner')).toEqual([three]);
  await checkpoints.deleteCheckpoints(collectionId);
  expect(await checkpoints.returnedIds(collectionId, 'Condition')).toEqual([]);
});

it('remembers when each type was searched in full, and up to where the record was verified', async () => {
  const connectionId = randomUUID();
  const type = 'Condition';
  const completed = async (...searches: FullSearch[]): Promise<void> => {
    const { attempt } = await checkpoints.startAttempt(connectionId, randomUUID());
    await checkpoints.plan(attempt, [at(type, undefined, true)]);
    await checkpoints.complete(attempt, searches);
  };
  const known = async (): Promise<unknown> =>
    (await checkpoints.earlierCollections(connectionId, 30))?.fullSearches.get(type);
  const daysPass = (days: number): Promise<unknown> =>
    database.query('UPDATE full_search SET full_at = full_at - make_interval(days => $2) WHERE connection_id = $1', [
      connectionId,
      days,
    ]);
  const incremental = { type, isFull: false, isVerified: false, verifiedTo: undefined };
  const [part, all] = [
    { type, isFull: true, isVerified: false, verifiedTo: randomUUID() },
    { type, isFull: true, isVerified: true, verifiedTo: undefined },
  ];
  await completed(incremental);
  expect(await known()).toEqual({ isDue: false, verifiedTo: undefined });
  await daysPass(29);
  await completed(incremental);
  expect(await known()).toEqual({ isDue: false, verifiedTo: undefined });
  await daysPass(2);
  expect(await known()).toEqual({ isDue: true, verifiedTo: undefined });
  await completed(part);
  expect(await known()).toEqual({ isDue: true, verifiedTo: part.verifiedTo });
  await completed(all);
  expect(await known()).toEqual({ isDue: false, verifiedTo: undefined });
  await checkpoints.deleteConnection(connectionId);
  expect(await database.query('SELECT FROM full_search WHERE connection_id = $1', [connectionId])).toEqual([]);
});

it('deletes collections of connections that are gone, and checkpoints of collections that have ended', async () => {
  const [deleted, revoked, ended, live] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  for (const connectionId of [deleted, revoked, ended, live]) {
    const { attempt } = await checkpoints.startAttempt(connectionId, randomUUID());
    await checkpoints.plan(attempt, [at('Patient', 'a page')]);
  }
  await keys.keyFor(`collection ${randomUUID()}`);
  await database.query('UPDATE collection SET next_check_at = now()');
  await Promise.all(
    [1, 2].map(() => sweepWith({ [revoked]: 'revoked', [ended]: 'active', [live]: 'collecting' }).run()),
  );
  const gone = { collections: 0, checkpoints: 0, keys: 0 };
  expect(await Promise.all([deleted, revoked, ended, live].map(keptOf))).toEqual([
    gone,
    gone,
    gone,
    { collections: 1, checkpoints: 1, keys: 1 },
  ]);
  const [{ orphans }] = (await database.query(
    `SELECT count(*)::int AS orphans FROM data_key WHERE NOT EXISTS (SELECT FROM collection WHERE scope = 'collection ' || collection_id)`,
  )) as [{ orphans: number }];
  expect(orphans).toBe(0);
});
