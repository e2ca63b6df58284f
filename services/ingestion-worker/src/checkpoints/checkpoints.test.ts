import { randomBytes, randomUUID } from 'node:crypto';
import { type NewAuditEvent, noAuditTrail } from '@tributary/audit-log';
import { type ConnectionStatus, type ConnectionsClient } from '@tributary/contracts';
import { LocalKeyEncryptionKey, ScopedKeys } from '@tributary/key-vault';
import { createLog, openDatabase } from '@tributary/service-kit';
import { createDatabase } from '@tributary/test-environment';
import { DataSource } from 'typeorm';
import { emptyProgress } from './progress';
import { databaseSchema } from '../config';
import { type Attempt, AttemptSuperseded } from './attempt';
import { CheckpointSweep } from './checkpoint-sweep';
import { migrations } from './migrations';
import { Attempts } from './attempts';
import type { CollectionCheckpoint } from './checkpoint';
import { Checkpoints } from './checkpoints';
import { type CompletedCollection, CompletedCollections } from './completed-collections';
import { collectionCheckpointEntity, collectionEntity } from './tables';
import type { FullSearch } from './verification-state';

let test: Awaited<ReturnType<typeof createDatabase>>;
let database: DataSource;
let checkpoints: Checkpoints;
let attempts: Attempts;
let completed: CompletedCollections;
let keys: ScopedKeys;

const kek = randomBytes(32);
const keysWrappedBy = (...versions: Buffer[]): ScopedKeys =>
  new ScopedKeys({ run: (sql, values) => database.query(sql, values), kek: new LocalKeyEncryptionKey(versions) });

beforeAll(async () => {
  test = await createDatabase();
  database = await openDatabase({
    database: test.url,
    schema: databaseSchema,
    entities: [collectionEntity, collectionCheckpointEntity],
    migrations,
  });
  keys = keysWrappedBy(kek);
  checkpoints = new Checkpoints(database, keys);
  attempts = new Attempts(database);
  completed = new CompletedCollections(database, checkpoints);
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

const ended = (searches: FullSearch[]): CompletedCollection => ({ searches, isFull: false, hasTemporaryGap: false });

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

const events: NewAuditEvent[] = [];

function sweepWith(statuses: Record<string, ConnectionStatus>, sweptKeys = keys): CheckpointSweep {
  const connections = {
    statuses: (ids: string[]) =>
      Promise.resolve(new Map(ids.flatMap((id) => (statuses[id] ? [[id, statuses[id]] as const] : [])))),
  };
  return new CheckpointSweep({
    database,
    keys: sweptKeys,
    checkpoints,
    connections: connections as unknown as ConnectionsClient,
    audit: { ...noAuditTrail, record: (event) => Promise.resolve(String(events.push(event))) },
    log: createLog('test', 'silent'),
  });
}

it('refuses writes of a superseded attempt, and keeps what the later attempt wrote', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  const first = await attempts.start(connectionId, collectionId);
  await checkpoints.plan(first.attempt, [at('Patient'), at('Observation')]);
  const second = await attempts.start(connectionId, collectionId);
  await checkpoints.save(second.attempt, [at('Observation', 'page 7')]);
  await expect(checkpoints.save(first.attempt, [at('Observation', 'page 2')])).rejects.toThrow(AttemptSuperseded);
  await expect(completed.add(first.attempt, ended([]))).rejects.toThrow(AttemptSuperseded);
  await attempts.end(first.attempt, true);
  expect((await checkpoints.find(collectionId))?.find(({ type }) => type === 'Observation')?.search.page).toBe(
    'page 7',
  );
  expect((await attempts.history(connectionId, collectionId)).crashes).toBe(2);
});

it('lets only the later of two attempts write, however they interleave', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  const { attempt } = await attempts.start(connectionId, collectionId);
  await checkpoints.plan(attempt, [at('Observation', 'page 0')]);
  for (let round = 0; round < 20; round++) {
    const [later, ...saves] = await Promise.all([
      attempts.start(connectionId, collectionId),
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
    expect((await attempts.start(connectionId, collectionId)).history.crashes).toBe(start);
  const third = await attempts.start(connectionId, collectionId);
  expect(third.history).toEqual({ crashes: 2, failedAttempts: 0, isolatedCrashes: 0, isIsolated: false });
  await attempts.end(third.attempt, true);
  const fourth = await attempts.start(connectionId, collectionId);
  expect(fourth.history).toEqual({ crashes: 0, failedAttempts: 1, isolatedCrashes: 0, isIsolated: false });
  await attempts.recordIsolatedCrash(fourth.attempt);
  await checkpoints.deleteCheckpoints(collectionId);
  // The next collection of the connection is isolated as well.
  expect((await attempts.start(connectionId, randomUUID())).history).toEqual({
    crashes: 0,
    failedAttempts: 0,
    isolatedCrashes: 0,
    isIsolated: true,
  });
});

it('keeps the complete types of a completed collection, but no checkpoint and no key', async () => {
  const connectionId = randomUUID();
  const [old, next] = [randomUUID(), randomUUID()];
  const begun = await attempts.start(connectionId, old);
  await checkpoints.plan(begun.attempt, [at('Patient', undefined, true)]);
  const { attempt } = await attempts.start(connectionId, next);
  await checkpoints.plan(attempt, [
    { ...at('Patient', undefined, true), search: { remaining: [], answered: 'Patient/1' } },
    { ...at('Observation', undefined, true), search: { remaining: [], answered: 'Observation?patient=1' } },
    { ...at('Condition', undefined, true), search: { remaining: [], answered: 'Condition', isIncomplete: true } },
    at('Device', undefined, true),
  ]);
  expect(await keptOf(connectionId)).toEqual({ collections: 1, checkpoints: 4, keys: 1 });
  await completed.add(attempt, ended([]));
  await checkpoints.deleteCheckpoints(next);
  expect(await keptOf(connectionId)).toEqual({ collections: 1, checkpoints: 0, keys: 0 });
  expect([...((await completed.find(connectionId, 30))?.completeTypes ?? [])]).toEqual(['Observation', 'Patient']);
});

it('keeps what each page returned with its checkpoint, and nothing of a superseded attempt', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
  const { attempt } = await attempts.start(connectionId, collectionId);
  await checkpoints.plan(attempt, [at('Condition')]);
  const returned = new Map([
    ['Condition', [one, two]],
    ['Practitioner', [three]],
  ]);
  await checkpoints.save(attempt, [at('Condition', 'page 1')], returned);
  const later = await attempts.start(connectionId, collectionId);
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
  const complete = async (...searches: FullSearch[]): Promise<void> => {
    const { attempt } = await attempts.start(connectionId, randomUUID());
    await checkpoints.plan(attempt, [at(type, undefined, true)]);
    await completed.add(attempt, ended(searches));
  };
  const known = async (): Promise<unknown> => (await completed.find(connectionId, 30))?.fullSearches.get(type);
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
  await complete(incremental);
  expect(await known()).toEqual({ isDue: false, verifiedTo: undefined });
  await daysPass(29);
  await complete(incremental);
  expect(await known()).toEqual({ isDue: false, verifiedTo: undefined });
  await daysPass(2);
  expect(await known()).toEqual({ isDue: true, verifiedTo: undefined });
  await complete(part);
  expect(await known()).toEqual({ isDue: true, verifiedTo: part.verifiedTo });
  await complete(all);
  expect(await known()).toEqual({ isDue: false, verifiedTo: undefined });
  await checkpoints.deleteConnection(connectionId);
  expect(await database.query('SELECT FROM full_search WHERE connection_id = $1', [connectionId])).toEqual([]);
});

it('has everything read again soon after a gap, and less often while the gap stays', async () => {
  const connectionId = randomUUID();
  const collect = async (isFull: boolean, hasTemporaryGap: boolean): Promise<Attempt> => {
    const { attempt } = await attempts.start(connectionId, randomUUID());
    await checkpoints.plan(attempt, [at('Patient', undefined, true)]);
    await completed.add(attempt, { searches: [], isFull, hasTemporaryGap });
    return attempt;
  };
  const isDue = async (): Promise<boolean | undefined> => (await completed.find(connectionId, 30))?.isRereadDue;
  const hoursPass = (hours: number): Promise<unknown> =>
    database.query(
      'UPDATE collection SET reread_at = reread_at - make_interval(hours => $2) WHERE connection_id = $1',
      [connectionId, hours],
    );
  const full = true;
  const [gap, changes] = [true, false];
  await collect(full, !gap);
  expect(await isDue()).toBe(false);
  await collect(changes, gap);
  expect(await isDue()).toBe(true);
  const first = await collect(full, gap);
  // The report of the end was lost, and the collection is completed again.
  await completed.add(first, { searches: [], isFull: full, hasTemporaryGap: gap });
  expect(await isDue()).toBe(true);
  for (const hours of [24, 72]) {
    await collect(full, gap);
    expect(await isDue()).toBe(false);
    await hoursPass(hours - 1);
    await collect(changes, gap);
    expect(await isDue()).toBe(false);
    await hoursPass(1);
    await collect(changes, !gap);
    expect(await isDue()).toBe(true);
  }
  await collect(full, !gap);
  await collect(changes, !gap);
  expect(await isDue()).toBe(false);
});

it('deletes collections of connections that are gone, and checkpoints of collections that have ended', async () => {
  const [deleted, revoked, finished, live] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  for (const connectionId of [deleted, revoked, finished, live]) {
    const { attempt } = await attempts.start(connectionId, randomUUID());
    await checkpoints.plan(attempt, [at('Patient', 'a page')]);
  }
  await keys.keyFor(`collection ${randomUUID()}`);
  await database.query('UPDATE collection SET next_check_at = now()');
  await Promise.all(
    [1, 2].map(() => sweepWith({ [revoked]: 'revoked', [finished]: 'active', [live]: 'collecting' }).run()),
  );
  const gone = { collections: 0, checkpoints: 0, keys: 0 };
  expect(await Promise.all([deleted, revoked, finished, live].map(keptOf))).toEqual([
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

it('wraps the keys of all collections by the newest version of the key-encryption key', async () => {
  const [connectionId, collectionId] = [randomUUID(), randomUUID()];
  const { attempt } = await attempts.start(connectionId, collectionId);
  await checkpoints.plan(attempt, [at('Patient', 'a page')]);
  const next = randomBytes(32);
  await sweepWith({}, keysWrappedBy(kek, next)).rewrap();
  const afterwards = new Checkpoints(database, keysWrappedBy(next));
  expect((await afterwards.find(collectionId))?.[0]?.search.page).toBe('a page');
  const versions = await keys.countByVersion();
  expect([...versions.keys()]).toEqual([await new LocalKeyEncryptionKey([next]).currentId()]);
  expect(events).toEqual([
    {
      kind: 'key.rotated',
      action: 'U',
      outcome: 'success',
      agent: { service: 'ingestion-worker' },
      entities: [{ type: 'DataKey', count: [...versions.values()][0] }],
    },
  ]);
});
