import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { realRecords } from '../../test/real-records';
import { usersWithClients } from './users-with-clients';
import { recordCommand } from './verify-command';

describe('record verify', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start({ partitions: 3 });
  });
  afterAll(() => store.stop());

  const lines: string[] = [];
  const subjects: object[] = [];
  beforeEach(() => {
    lines.splice(0);
    subjects.splice(0);
  });
  const run = async (...words: string[]): Promise<number> => {
    let status = 0;
    const record = recordCommand({
      withStorage: (work) => work(store.storage, store.pool),
      recordUsers: async (pool, users) => void subjects.push(...(await usersWithClients(pool, users))),
      print: (line) => lines.push(line),
      setExitStatus: (set) => (status = set),
    });
    for (const command of [record, ...record.commands])
      command.exitOverride().configureOutput({ writeErr: () => undefined });
    await record.parseAsync(words, { from: 'user' });
    return status;
  };
  const collect = async (release: 'dstu2' | 'stu3' | 'r4', resources: readonly string[]): Promise<number> => {
    const { userId } = store.user();
    const source = {
      client_id: 'client',
      release,
      health_system_id: 1,
      fhir_base_url: 'https://ehr.example.org',
    };
    for (let from = 0; from < resources.length; from += 400)
      await store.records.storeBatch(userId, source, resources.slice(from, from + 400).join('\n'));
    await store.records.resolveReferences(userId, source);
    return userId;
  };
  const patient = (id: string): string =>
    `{"resourceType":"Patient","id":"${id}","birthDate":"1970-01-02","name":[{"family":"Nightingale"}],"managingOrganization":{"reference":"Organization/1"}}`;

  it('finds nothing wrong with collected resources whose references are resolved later', async () => {
    const userId = await collect('r4', [patient('p'), '{"resourceType":"Organization","id":"1","name":"Clinic"}']);
    expect(await run('verify', '--user', String(userId))).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/ 2 current and \d superseded versions, .*; problems: 0$/)]);
    expect(subjects).toEqual([{ serviceUserId: userId, clientId: 'client' }]);
    expect(await run('verify', '--user', String(userId), '--json')).toBe(0);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ current: 2, problems: 0 });
  });

  const records = realRecords()
    .filter(({ lines: resources }) => resources.length < 3000)
    .filter(({ release }, at, all) => all.findIndex((other) => other.release === release) === at);
  (records.length > 0 ? it.each(records) : it.skip.each([{ release: 'r4' as const, name: 'none', lines: [] }]))(
    'finds nothing wrong with $release $name',
    async ({ release, lines: resources }) => {
      const userId = await collect(release, resources);
      expect([await run('verify', '--user', String(userId)), lines]).toEqual([0, [expect.stringMatching(/: 0$/)]]);
    },
  );

  it('fails with the id of what is damaged, and quotes nothing of it', async () => {
    const userId = await collect('r4', [patient('q')]);
    await store.pool.query(`UPDATE fhir_store.resource SET ranges = NULL WHERE user_id = $1`, [userId]);
    expect(await run('verify', '--user', String(userId))).toBe(1);
    expect(lines[0]).toMatch(/^index-wrong {2}Patient\/[0-9a-f-]{36} {2}version \d$/);
    expect(await run('verify', '--json', '--user', String(userId))).toBe(1);
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ problem: 'index-wrong', type: 'Patient' });
    expect(lines.join()).not.toMatch(/Nightingale|1970/);
  });

  it.each([
    [['verify'], "required option '--user <service-user-id>' not specified"],
    [['verify', '--user', 'x'], 'It must be a service_user_id.'],
    [['verify', '--user', '999999'], 'there is no record of this user'],
    [['check', '--user', '1'], "unknown command 'check'"],
    [['verify', '--user', '1', '--users', '1'], "unknown option '--users'"],
  ])('refuses %j', async (words, message) => {
    await expect(run(...words)).rejects.toThrow(message);
  });
});
