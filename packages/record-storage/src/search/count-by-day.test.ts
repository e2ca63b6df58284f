import type { IndexRange } from '@tributary/fhir-search';
import { CONDITION, OBSERVATION, PATIENT, type TestStorage, content, newId, openTestStorage } from '../../test/storage';
import type { DayCount } from './count-by-day';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

const dayMs = 86_400_000;
const date = (name: string, low: number): IndexRange => ({ name, kind: 'date', low, high: Infinity });
const dated = (...ranges: IndexRange[]) => content('"a":1', { terms: ['t'], ranges });
const types = [
  { typeCode: OBSERVATION, dates: ['effective', 'issued'] },
  { typeCode: CONDITION, dates: ['onset'] },
  { typeCode: PATIENT, dates: [] },
];

function sorted(counts: readonly DayCount[]): [number, number | undefined, number][] {
  return counts
    .map(({ typeCode, day, count }): [number, number | undefined, number] => [typeCode, day, count])
    .toSorted(([oneType, oneDay = -Infinity], [type, day = -Infinity]) => oneType - type || oneDay - day);
}

it('counts current resources by the day of the first date that they have, whatever the shift of the record', async () => {
  const days = [-30_000, -1, 0, 1, 18_000, 20_454, 2_932_896];
  for (let records = 0; records < 8; records++) {
    const record = test.newRecord();
    for (const day of days)
      for (const at of [day * dayMs, (day + 1) * dayMs - 1])
        await record.create(OBSERVATION, newId(), dated(date('effective', at), date('issued', 0)));
    expect(sorted(await record.search.countByDay(types))).toEqual(days.map((day) => [OBSERVATION, day, 2]));
  }
});

it('counts resources without a date, and uses the next date when one is absent or has no beginning', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), dated(date('issued', 5 * dayMs)));
  await record.create(OBSERVATION, newId(), dated(date('effective', -Infinity), date('issued', 5 * dayMs)));
  await record.create(OBSERVATION, newId(), dated(date('other', 5 * dayMs), date('effective', -Infinity)));
  await record.create(CONDITION, newId(), dated(date('effective', 0)));
  await record.create(PATIENT, newId(), dated(date('birthdate', 0)));
  expect(sorted(await record.search.countByDay(types))).toEqual([
    [PATIENT, undefined, 1],
    [CONDITION, undefined, 1],
    [OBSERVATION, undefined, 1],
    [OBSERVATION, 5, 2],
  ]);
  expect(await record.search.countByDay([{ typeCode: PATIENT, dates: [] }])).toHaveLength(1);
});

it('counts neither superseded nor deleted versions, nor destroyed records', async () => {
  const record = test.newRecord();
  expect(await record.search.countByDay(types)).toEqual([]);
  const [kept, deleted] = [newId(), newId()];
  for (const id of [kept, deleted]) await record.create(CONDITION, id, dated(date('onset', 0)));
  await record.update(CONDITION, kept, dated(date('onset', dayMs)));
  await record.delete(CONDITION, deleted);
  expect(await record.search.countByDay(types)).toEqual([{ typeCode: CONDITION, day: 1, count: 1 }]);
  await test.storage.destroyRecord(record.userId);
  expect(await record.search.countByDay(types)).toEqual([]);
});
