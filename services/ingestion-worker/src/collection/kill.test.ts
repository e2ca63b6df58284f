import { seededRandom, waitUntil } from '@tributary/test-environment';
import { KillableWorkers, terminate } from '../../test/killable-worker';
import { sourceRecord } from '../../test/source-record';
import { type Suite, ended, startSuite } from '../../test/suite';
import { type TestConnection, jobOf } from '../../test/fake-user-management';

jest.setTimeout(900_000);

/**
 * All of these collections are interrupted repeatedly by kills at random moments. TRIBUTARY_KILLS=30 for more kills.
 */
const collections = 50;
const kills = Number(process.env['TRIBUTARY_KILLS'] ?? 8);
const people = ['person-1', 'load-120', 'load-260', 'person-2', 'load-180'];
const scenarios = [undefined, 'page-size-10', 'slow', 'next-expired', 'unauthorized-midway'];

const random = seededRandom();
let suite: Suite;
let workers: KillableWorkers;

beforeAll(async () => {
  suite = await startSuite({ collectionsAtOnce: 12 });
  workers = new KillableWorkers(suite.workerSettings);
});

afterAll(async () => {
  await workers?.stop();
  await suite?.stop();
});

const isOpen = ({ connection }: TestConnection): boolean => connection.status === 'collecting';

it(`ends exact for ${collections} collections out of ${collections}, however often the worker is killed`, async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  const sources = await Promise.all(people.map((username) => sourceRecord(sandbox, username, 'r4')));
  await sandbox.forgetSeen();
  const held = await Promise.all(
    Array.from({ length: collections }, (_x, index) =>
      userManagement.connect(
        people[index % people.length] ?? '',
        scenarios[Math.floor(index / people.length) % scenarios.length],
        'r4',
        index,
      ),
    ),
  );
  // A collection that is reported as completed has its whole record at that moment.
  const falselyComplete: TestConnection[] = [];
  userManagement.onCompleted = (completed) => {
    const source = sources[held.indexOf(completed) % people.length];
    if (fhirStore.resourcesOf(completed.connection.service_user_id).size !== source?.size)
      falselyComplete.push(completed);
  };
  await queue.add(...held.map(jobOf));
  // A kill comes after a random progress: the time that it takes depends on the machine.
  const stored = (): number =>
    held.reduce((sum, { connection }) => sum + fhirStore.resourcesOf(connection.service_user_id).size, 0);
  const total = held.reduce((sum, _held, index) => sum + (sources[index % people.length]?.size ?? 0), 0);
  let killed = 0;
  for (; killed < kills && held.some(isOpen); killed++) {
    const worker = await workers.start();
    const goal = stored() + (random() * total) / (2 * kills);
    await waitUntil(() => stored() >= goal || !held.some(isOpen));
    // A store that is killed is back after a while, and has what it has acknowledged.
    if (killed % 3 === 2) fhirStore.server.becomeUnavailable(random() * 2000);
    else if (killed % 3 === 1) userManagement.server.becomeUnavailable(random() * 1000);
    await workers.kill(worker);
  }
  const last = await workers.start();
  await ended(held);
  await terminate(last);

  expect(killed).toBeGreaterThanOrEqual(Math.min(kills, 4));
  expect(falselyComplete.map(({ reports }) => reports.at(-1))).toEqual([]);
  const wrong = held.filter(({ connection }, index) => {
    const source = sources[index % people.length] ?? new Map<string, string>();
    const record = fhirStore.resourcesOf(connection.service_user_id);
    return (
      connection.status !== 'active' ||
      record.size !== source.size ||
      [...source.keys()].some((key) => !record.has(key))
    );
  });
  expect(wrong.map(({ connection, reports }) => [connection.status, reports.at(-1)])).toEqual([]);
  // What was stored when the worker was killed is counted, although it is not read again.
  const miscounted = held.flatMap(({ connection, reports }) => {
    const keys = [...fhirStore.resourcesOf(connection.service_user_id).keys()];
    return (reports.at(-1)?.types ?? [])
      .filter(({ read }) => read === 'references')
      .map(({ type, stored, unchanged }) => [
        type,
        stored + unchanged,
        keys.filter((key) => key.startsWith(`${type}/`)).length,
      ])
      .filter(([, counted, there]) => counted !== there);
  });
  expect(miscounted).toEqual([]);
  // What a page has created is counted once, also when the worker was killed between storing the page and counting it.
  const createdAndHeld = held.flatMap(({ connection, reports }) => {
    const keys = [...fhirStore.resourcesOf(connection.service_user_id).keys()];
    return (reports.at(-1)?.types ?? [])
      .filter(({ read }) => read !== 'references')
      .map(({ type, created }) => [type, created, keys.filter((key) => key.startsWith(`${type}/`)).length]);
  });
  expect(createdAndHeld.filter(([, created, there]) => created !== there)).toEqual([]);
  // Every resource was written once: what is read again after a kill is unchanged.
  expect(
    held.flatMap(({ connection }) =>
      [...fhirStore.record(connection.service_user_id).resources.values()].filter(({ version }) => version > 1),
    ),
  ).toEqual([]);
});

it('repeats few requests: the next worker continues at the page of the killed one', async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  const username = 'person-60';
  const source = await sourceRecord(sandbox, username, 'r4');
  await sandbox.forgetSeen();
  const held = await userManagement.connect(username, 'slow', 'r4', 1);
  await queue.add(jobOf(held));
  let killed = 0;
  for (; killed < 3 && isOpen(held); killed++) {
    const worker = await workers.start();
    const before = fhirStore.record(held.connection.service_user_id).resources.size;
    await waitUntil(
      () => !isOpen(held) || fhirStore.record(held.connection.service_user_id).resources.size >= before + 60,
    );
    await workers.kill(worker);
  }
  const last = await workers.start();
  await ended([held]);
  await terminate(last);
  const seen = await sandbox.seen(username);
  const pages = Object.entries(seen.requests).reduce(
    (sum, [what, count]) => sum + (/search|next-page/.test(what) ? count : 0),
    0,
  );
  const searches = [...source.keys()].reduce(
    (types, key) => types.add(key.split('/')[0] ?? ''),
    new Set<string>(),
  ).size;
  const needed = Math.ceil(source.size / 15) + searches;
  // At each kill four types may have one page in progress, and one requested ahead.
  expect(pages).toBeLessThanOrEqual(needed + killed * 8);
  expect(fhirStore.resourcesOf(held.connection.service_user_id).size).toBe(source.size);
});

it('returns a collection to the queue on SIGTERM, and the next worker continues at once', async () => {
  const { userManagement, fhirStore, queue } = suite;
  // No stalled job is taken over while the test waits: it has to be given back.
  const patient = { lockMs: 3_600_000 };
  const held = await userManagement.connect('person-61', 'slow', 'r4', 2);
  const size = (): number => fhirStore.record(held.connection.service_user_id).resources.size;
  await queue.add(jobOf(held));
  const first = await workers.start(patient);
  await waitUntil(() => size() > 0, 'the first worker has begun');
  const second = await workers.start(patient);
  await terminate(first);
  const before = size();
  expect(held.connection.status).toBe('collecting');
  await waitUntil(() => size() > before || !isOpen(held), 'the second worker continues');
  await ended([held]);
  await terminate(second);
  expect(held.connection.status).toBe('active');
});

it('counts the new resources of a page once when the worker is killed before it knows that they are stored', async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  const username = 'person-620';
  const held = await userManagement.connect(username, 'page-size-10', 'r4', 8);
  let worker = await workers.start();
  let restarted: Promise<void> = Promise.resolve();
  let deaths = 0;
  let batches = 0;
  // Every third batch ends a worker: of the patient, of first pages, and of later ones.
  fhirStore.interrupt = (what) => {
    if (what === 'batches' && ++batches % 3 === 0 && deaths < 4 && worker.exitCode === null && !worker.killed) {
      deaths++;
      restarted = workers
        .kill(worker)
        .then(() => workers.start())
        .then((next) => void (worker = next));
    }
    return false;
  };
  const createdAndHeld = (): [number, number] => [
    held.reports.at(-1)?.types.reduce((sum, { created, deleted }) => sum + created - deleted, 0) ?? 0,
    fhirStore.record(held.connection.service_user_id).resources.size,
  ];
  await queue.add(jobOf(held));
  await ended([held]);
  const [created, there] = createdAndHeld();
  expect([held.connection.status, created]).toEqual(['active', there]);
  // Resources of an earlier collection are in their first version, too.
  const observations = Array.from({ length: 12 }, (_x, index) => ({
    resourceType: 'Observation',
    id: `later-${index}`,
    status: 'final',
    code: { text: 'Weight' },
    subject: { reference: `Patient/${held.connection.patient_id}` },
  }));
  for (const observation of observations) await sandbox.change(username, 'r4', observation);
  deaths = 0;
  await queue.add(userManagement.collectAgain(held, true));
  await ended([held]);
  fhirStore.interrupt = () => false;
  await restarted;
  await terminate(worker);
  expect(deaths).toBeGreaterThanOrEqual(1);
  expect([held.connection.status, ...createdAndHeld()]).toEqual(['active', 12, there + 12]);
});

it('counts a page once when the worker is killed after storing it, and its link has expired meanwhile', async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  const username = 'person-621';
  // Two pages: the link of the second one expires when it is requested again.
  const [type, size] = ['Goal', 20];
  const { patient } = await sandbox.signIn(username, 'r4');
  for (let index = 0; index < size; index++)
    await sandbox.change(username, 'r4', {
      resourceType: type,
      id: `goal-${index}`,
      lifecycleStatus: 'active',
      description: { text: 'Walk' },
      subject: { reference: `Patient/${patient}` },
    });
  const held = await userManagement.connect(username, 'next-expired', 'r4', 9);
  const { resources } = fhirStore.record(held.connection.service_user_id);
  const stored = (): number => [...resources.keys()].filter((key) => key.startsWith(`${type}/`)).length;
  let worker = await workers.start();
  let restarted: Promise<void> | undefined;
  fhirStore.interrupt = (what) => {
    // The second page is stored, and the worker does not know it yet.
    if (what === 'batches' && stored() === size)
      restarted ??= workers
        .kill(worker)
        .then(() => workers.start())
        .then((next) => void (worker = next));
    return false;
  };
  await queue.add(jobOf(held));
  await ended([held]);
  fhirStore.interrupt = () => false;
  await restarted;
  await terminate(worker);
  const created = held.reports.at(-1)?.types.find((reported) => reported.type === type)?.created;
  expect([restarted !== undefined, held.connection.status, stored(), created]).toEqual([true, 'active', size, size]);
});

it.each(['batches', 'source-references', 'source-deletions'])(
  'deletes exactly what is gone when the worker is killed after %s, before it knows',
  async (moment) => {
    const { sandbox, userManagement, fhirStore, queue } = suite;
    const username = `person-${600 + moment.length}`;
    const held = await userManagement.connect(username, 'page-size-10', 'r4', 7);
    let worker = await workers.start();
    await queue.add(jobOf(held));
    await ended([held]);
    const record = fhirStore.record(held.connection.service_user_id);
    const gone = [...record.resources.keys()].filter((key) => key.startsWith('Observation/')).slice(0, 3);
    for (const key of gone) await sandbox.remove(username, 'r4', 'Observation', key.slice('Observation/'.length));
    const left = record.resources.size - gone.length;
    let deaths = 0;
    let restarted: Promise<void> = Promise.resolve();
    fhirStore.interrupt = (what) => {
      if (what === moment && deaths < 2 && worker.exitCode === null && !worker.killed) {
        deaths++;
        restarted = workers
          .kill(worker)
          .then(() => workers.start())
          .then((next) => void (worker = next));
      }
      return false;
    };
    await queue.add(userManagement.collectAgain(held, true));
    await ended([held]);
    fhirStore.interrupt = () => false;
    await restarted;
    await terminate(worker);
    expect(deaths).toBeGreaterThanOrEqual(1);
    expect([held.connection.status, record.deleted.sort(), record.resources.size]).toEqual([
      'active',
      gone.sort(),
      left,
    ]);
    const counts = held.reports.at(-1)?.types.map(({ created, deleted }) => [created, deleted]) ?? [];
    expect(counts.reduce(([c = 0, d = 0], [created = 0, deleted = 0]) => [c + created, d + deleted], [])).toEqual([
      0,
      gone.length,
    ]);
  },
);
