import type { HealthSystemOutcomes } from '@tributary/contracts';
import { readConfig } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import { type ConnectedSystem, admin, connect, newHealthSystem, newPerson } from '../../test/connect-flow';
import { type RunningForTest, runForTest } from '../../test/running-service';
import { deleteOldOutcomes, listWorstOutcomes, recordOutcome, recordOutcomes } from './connect-outcomes';

describe('outcomes per health system', () => {
  let service: RunningForTest;
  let database: DataSource;
  beforeAll(async () => {
    service = await runForTest();
    ({ database } = await openServiceDatabase(readConfig(vaultConfig, service.environment)));
  });
  afterAll(async () => {
    await database.destroy();
    await service.stop();
  });

  const clientId = 'a-client';
  const lakeside = { healthSystem: { id: 7001, name: 'Lakeside Hospital' }, clientId };
  const hillside = { healthSystem: { id: 7002, name: 'Hillside Clinic' }, clientId };
  const renamed = { ...lakeside, healthSystem: { id: 7001, name: 'Lakeside Health' } };
  const outcomes = async (...words: string[]): Promise<HealthSystemOutcomes[]> =>
    (
      JSON.parse(await admin(service, 'connection', 'outcomes', '--json', ...words)) as {
        entry: HealthSystemOutcomes[];
      }
    ).entry;
  const rows = (): Promise<unknown> =>
    service.sql(
      'SELECT kind, reason, occurrences::int FROM connect_outcome WHERE health_system_id = $1 ORDER BY 1, 2',
      [lakeside.healthSystem.id],
    );
  afterEach(() => service.sql('TRUNCATE connect_outcome'));

  it('are summed over the period and shown by kind, most failed connects first', async () => {
    await recordOutcome(database.manager, hillside, 'connect', 'started');
    for (const reason of ['started', 'started', 'started', 'connected', 'invalid_scope'])
      await recordOutcome(database.manager, lakeside, 'connect', reason);
    await recordOutcomes(database.manager, lakeside, [
      { kind: 'collection', reason: 'incomplete' },
      { kind: 'type_refused', reason: 'Condition' },
      { kind: 'type_refused', reason: 'Observation' },
      { kind: 'type_refused', reason: 'Condition' },
    ]);
    await recordOutcome(database.manager, lakeside, 'refresh', 'invalid_grant');
    await service.sql('UPDATE connect_outcome SET day = day - 3 WHERE health_system_id = $1', [
      lakeside.healthSystem.id,
    ]);
    await recordOutcome(database.manager, renamed, 'connect', 'connected');

    const all = await outcomes();
    expect(all.map(({ health_system_id }) => health_system_id)).toEqual(['7001', '7002']);
    expect(all[0]).toEqual({
      health_system_id: '7001',
      health_system_name: 'Lakeside Health',
      connects: { started: 3, connected: 2, failed: { invalid_scope: 1 } },
      refresh_failures: { invalid_grant: 1 },
      collections: { incomplete: 1 },
      types_refused: { Condition: 2, Observation: 1 },
    });
    expect((await outcomes('--days', '3'))[0]).toMatchObject({ connects: { started: 0, connected: 1 } });
    expect(await outcomes('--health-system', '7002')).toHaveLength(1);
    expect(await admin(service, 'connection', 'outcomes', '--health-system', '7001')).toBe(
      [
        '7001  Lakeside Health',
        '  connects: started 3, connected 2, failed: invalid_scope 1',
        '  failed refreshes: invalid_grant 1',
        '  collections: incomplete 1',
        '  refused types: Condition 2, Observation 1',
      ].join('\n'),
    );
  });

  it('are listed of the worst health systems, with the number of the others', async () => {
    await recordOutcome(database.manager, hillside, 'connect', 'connected');
    await recordOutcome(database.manager, lakeside, 'connect', 'invalid_scope');
    const list = async (limit: number): Promise<unknown> => {
      const { entry, ...others } = await listWorstOutcomes(database, 7, limit);
      return [entry.map(({ health_system_id }) => health_system_id), others];
    };
    expect(await list(1)).toEqual([['7001'], { days: 7, other_health_systems: 1 }]);
    expect(await list(2)).toEqual([['7001', '7002'], { days: 7 }]);
  });

  it('count each session once, by its result', async () => {
    const person = await newPerson(service);
    const both = await newHealthSystem(service, ['dstu2', 'r4']);
    both.system.behaviour.apart = true;
    await connect(service, person, both);
    const refusing = await newHealthSystem(service);
    refusing.system.behaviour.authorize = 'access_denied';
    await connect(service, person, refusing);
    const closed = await newHealthSystem(service);
    await closed.system.close();
    const url = await connect(service, person, closed);
    const of = async ({ id }: ConnectedSystem): Promise<unknown> =>
      (await outcomes('--health-system', String(id)))[0]?.connects;
    expect(await of(both)).toEqual({ started: 1, connected: 1, failed: {} });
    expect(await of(refusing)).toEqual({ started: 1, connected: 0, failed: { access_denied: 1 } });
    expect(await of(closed)).toEqual({
      started: 1,
      connected: 0,
      failed: { [url.searchParams.get('error') ?? '']: 1 },
    });
    await Promise.all([both, refusing].map(({ system }) => system.close()));
  });

  it('count every concurrent transaction, and none that is rolled back', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_x, index) =>
        database
          .transaction(async (manager) => {
            await recordOutcomes(manager, lakeside, [
              { kind: 'type_refused', reason: index % 2 ? 'Observation' : 'Condition' },
              { kind: 'type_refused', reason: index % 2 ? 'Condition' : 'Observation' },
            ]);
            if (index % 4 === 0) throw new Error('rolled back');
          })
          .catch(() => undefined),
      ),
    );
    expect(await rows()).toEqual([
      { kind: 'type_refused', reason: 'Condition', occurrences: 15 },
      { kind: 'type_refused', reason: 'Observation', occurrences: 15 },
    ]);
  });

  it('store no text of a health system', async () => {
    await recordOutcome(database.manager, lakeside, 'refresh', 'no such user: Ida Berg <ida@example.org>');
    await recordOutcome(database.manager, lakeside, 'refresh', '');
    expect(await rows()).toEqual([{ kind: 'refresh', reason: 'other', occurrences: 2 }]);
  });

  it('are deleted after the retention', async () => {
    await recordOutcome(database.manager, lakeside, 'connect', 'started');
    await recordOutcome(database.manager, hillside, 'connect', 'started');
    await service.sql('UPDATE connect_outcome SET day = day - 31 WHERE health_system_id = $1', [
      lakeside.healthSystem.id,
    ]);
    await deleteOldOutcomes(database, 30);
    expect((await outcomes('--days', '100')).map(({ health_system_id }) => health_system_id)).toEqual(['7002']);
  });
});
