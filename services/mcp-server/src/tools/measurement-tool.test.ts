import { DecimalText } from '@tributary/fhir-json';
import { FakeRecord, loinc } from '../../test/fake-record';
import { allPages, runTool } from '../../test/run-tool';

let record: FakeRecord;
beforeAll(async () => {
  record = await FakeRecord.start();
});
afterEach(() => record.clear());
afterAll(() => record.stop());

const laboratory = [{ coding: [{ code: 'laboratory' }] }];
const result = (id: string, date: string, value: number, more: object = {}) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  category: laboratory,
  code: loinc('4548-4', 'Hemoglobin A1c'),
  effectiveDateTime: date,
  valueQuantity: { value, unit: '%' },
  ...more,
});
const testsOf = (data: Record<string, unknown>) =>
  data['tests'] as {
    name: string;
    unit?: string;
    count: number;
    trend?: object;
    results: { value: string; flag?: string }[];
  }[];

it('shows the course of a test over all releases, newest first', async () => {
  record.add('dstu2', result('d1', '2022-01-01', 5.6));
  record.add('stu3', result('s2', '2023-01-01T08:00:00Z', 6.1));
  record.add('r4', result('r1', '2022-01-01', 5.6));
  record.add('r4', result('r3', '2024-01-01', 6.7));
  const { text, data } = await runTool(record, 'list_lab_results');
  expect(data['tests']).toEqual([
    expect.objectContaining({
      name: 'Hemoglobin A1c',
      codes: ['LOINC 4548-4'],
      unit: '%',
      count: 3,
      first_date: '2022-01-01',
      trend: { change: 0.6, percent: 9.8, lowest: 5.6, highest: 6.7 },
      results: [
        expect.objectContaining({ reference: 'r4/Observation/r3', value: '6.7 %', date: '2024-01-01' }),
        expect.objectContaining({ reference: 'stu3/Observation/s2', value: '6.1 %' }),
        expect.objectContaining({ reference: 'r4/Observation/r1', also_in: ['dstu2/Observation/d1'] }),
      ],
    }),
  ]);
  expect(text).toContain('change +0.6 (+9.8 %) since the result before, lowest 5.6, highest 6.7');
  expect(text).toContain('2022-01-01: 5.6 % [r4/Observation/r1, also in dstu2]');
});

it('shows a number with all its digits', async () => {
  const valueQuantity = { value: new DecimalText('5.0'), unit: '%' };
  const referenceRange = [{ low: { value: new DecimalText('4.00'), unit: '%' }, high: { value: 6, unit: '%' } }];
  record.add('r4', result('a', '2024-01-01', 0, { valueQuantity, referenceRange }));
  record.add('r4', result('b', '2023-01-01', 4.5));
  const { text, data } = await runTool(record, 'list_lab_results');
  expect(text).toContain('2024-01-01: 5.0 % [');
  expect(text).toContain('reference range 4.00 – 6 %');
  expect(testsOf(data)[0]?.trend).toMatchObject({ change: 0.5 });
});

it('does not compare values in different units, nor those with a comparator', async () => {
  record.add('r4', result('a', '2024-01-01', 48, { valueQuantity: { value: 48, unit: 'mmol/mol' } }));
  record.add('r4', result('b', '2023-01-01', 6.5));
  record.add('r4', result('c', '2022-01-01', 6, { valueQuantity: { value: 6, unit: '%', comparator: '<' } }));
  const { data } = await runTool(record, 'list_lab_results');
  expect(testsOf(data).map(({ unit, trend, count }) => [unit, trend, count])).toEqual([
    ['mmol/mol', undefined, 1],
    ['%', undefined, 2],
  ]);
  expect(testsOf(data)[1]?.results[1]?.value).toBe('< 6 %');
});

it.each([
  ['the interpretation', { interpretation: [{ coding: [{ code: 'H', display: 'High' }] }] }, 'High'],
  [
    'a reference range',
    { referenceRange: [{ high: { value: 5.7, unit: '%' } }] },
    'high (compared with the reference range)',
  ],
  ['a reference range in another unit', { referenceRange: [{ high: { value: 39, unit: 'mmol/mol' } }] }, undefined],
  [
    'a reference range of other patients',
    { referenceRange: [{ high: { value: 5, unit: '%' }, appliesTo: [{ text: 'children' }] }] },
    undefined,
  ],
])('flags a result by %s', async (_what, more, flag) => {
  record.add('r4', result('a', '2024-01-01', 6.5, more));
  expect(testsOf((await runTool(record, 'list_lab_results')).data)[0]?.results[0]?.flag).toBe(flag);
});

it.each([
  [{ valueCodeableConcept: { text: 'Positive' } }, 'Positive'],
  [{ valueString: 'see report' }, 'see report'],
  [{ valueBoolean: false }, 'no'],
  [{ valueInteger: 0 }, '0'],
  [{ valueRange: { low: { value: 1, unit: 'a' }, high: { value: 2, unit: 'a' } } }, '1 a – 2 a'],
  [{ valueRatio: { numerator: { value: 1 }, denominator: { value: 128 } } }, '1 : 128'],
  [{ dataAbsentReason: { text: 'specimen lost' } }, 'no value (specimen lost)'],
  [{}, 'no value'],
])('shows %j', async (value, shown) => {
  const { valueQuantity: _left, ...rest } = result('a', '2024-01-01', 0);
  record.add('r4', { ...rest, ...value });
  expect(testsOf((await runTool(record, 'list_lab_results')).data)[0]?.results[0]?.value).toBe(shown);
});

it('shows the parts of a blood pressure and their trends, and takes a vital sign without a category from its code', async () => {
  const component = (code: string, name: string, value: number, unit = 'mm[Hg]') => ({
    code: loinc(code, name),
    valueQuantity: { value, unit },
  });
  const pressure = (id: string, date: string, systolic: number, diastolic: number, unit?: string) => ({
    resourceType: 'Observation',
    id,
    status: 'final',
    code: loinc('85354-9', 'Blood pressure'),
    effectiveDateTime: date,
    component: [component('8480-6', 'Systolic', systolic), component('8462-4', 'Diastolic', diastolic, unit)],
  });
  record.add('r4', pressure('first', '2023-01-01', 150, 80));
  record.add('r4', pressure('second', '2024-01-01', 120, 80));
  record.add('r4', pressure('other-unit', '2022-01-01', 140, 12, 'kPa'));
  const { data, text } = await runTool(record, 'list_vital_signs');
  const [found] = testsOf(data);
  expect(found?.results[0]?.value).toBe('Systolic 120 mm[Hg]; Diastolic 80 mm[Hg]');
  expect(found).not.toHaveProperty('trend');
  expect(found).toMatchObject({
    component_trends: [
      { name: 'Systolic', unit: 'mm[Hg]', change: -30, percent: -20, lowest: 120, highest: 150 },
      { name: 'Diastolic', unit: 'mm[Hg]', change: 0, percent: 0, lowest: 80, highest: 80 },
    ],
  });
  expect(text).toContain('Systolic: change -30 (-20 %) since the result before, lowest 120, highest 150');
  expect(testsOf((await runTool(record, 'list_lab_results')).data)).toEqual([]);
});

it('leaves out results that were entered in error or cancelled, and names a preliminary one', async () => {
  record.add('r4', result('a', '2024-01-01', 6, { status: 'entered-in-error' }));
  record.add('r4', result('b', '2024-01-02', 6, { status: 'cancelled' }));
  record.add('r4', result('c', '2024-01-03', 6, { status: 'preliminary' }));
  const { data } = await runTool(record, 'list_lab_results');
  expect(testsOf(data)[0]?.results).toEqual([expect.objectContaining({ status: 'preliminary' })]);
});

it('searches by code or by words, and by date', async () => {
  await runTool(record, 'list_lab_results', { test: '4548-4', since: '2024-01', until: '2024' });
  await runTool(record, 'list_lab_results', { test: 'hemoglobin, total' });
  const queries = record.seen
    .filter(({ url }) => url.pathname === '/r4/Observation')
    .map(({ url }) => url.searchParams);
  expect([queries[0]?.get('code'), queries[0]?.getAll('date')]).toEqual(['4548-4', ['ge2024-01', 'le2024']]);
  expect(queries[1]?.get('code:text')).toBe(String.raw`hemoglobin\, total`);
  expect(queries[1]?.has('code')).toBe(false);
});

it.each([
  ['LOINC 4548-4', [['code', 'http://loinc.org|4548-4']]],
  ['snomed ct 38341003', [['code', 'http://snomed.info/sct|38341003']]],
  [
    'GLU,1',
    [
      ['code', String.raw`GLU\,1`],
      ['code:text', String.raw`GLU\,1`],
    ],
  ],
  ['loinc panel of tests', [['code:text', 'loinc panel of tests']]],
])('finds the test %s', async (test, expected) => {
  await runTool(record, 'list_lab_results', { test });
  const sent = record.seen
    .filter(({ url }) => url.pathname === '/r4/Observation')
    .map(({ url }) => [...url.searchParams].find(([name]) => name.startsWith('code')));
  expect(sent).toEqual(expected);
});

it('shows an Observation once that two searches find', async () => {
  record.add('r4', result('a', '2024-01-01', 6));
  expect(testsOf((await runTool(record, 'list_lab_results', { test: 'hemoglobin' })).data)).toMatchObject([
    { count: 1 },
  ]);
});

it('pages through tests that have a code in common and differ in the code that groups them', async () => {
  const code = (own: string) => ({
    coding: [{ code: 'LOCAL' }, { system: 'http://loinc.org', code: own }],
    text: 'Test',
  });
  for (const own of ['1-1', '2-2', '3-3']) record.add('r4', result(own, '2024-01-01', 6, { code: code(own) }));
  const pages = await allPages(record, 'list_lab_results', { limit: 1 });
  expect(pages.flatMap(({ data }) => testsOf(data))).toHaveLength(3);
});

it('pages through 300 tests in short answers, each test once', async () => {
  for (let n = 0; n < 300; n++)
    for (let year = 2015; year < 2021; year++)
      record.add('r4', result(`o${n}-${year}`, `${year}-01-01`, n, { code: loinc(`${n}-1`, `Test ${n}`) }));
  const pages = await allPages(record, 'list_lab_results', { limit: 100 });
  expect(Math.max(...pages.map(({ text }) => text.length))).toBeLessThan(17_500);
  const names = pages.flatMap(({ data }) => testsOf(data).map(({ name }) => name));
  expect([names.length, new Set(names).size]).toEqual([300, 300]);
});

it('of a record with 10,000 results reads the newest, and says from when on', async () => {
  const start = Date.UTC(2000, 0, 1);
  for (let n = 0; n < 10_000; n++) {
    const date = new Date(start + (9_999 - n) * 86_400_000).toISOString().slice(0, 10);
    record.add('r4', result(`o${n}`, date, n));
  }
  const { data } = await runTool(record, 'list_lab_results', { history: 3 });
  const cut = new Date(start + 8000 * 86_400_000).toISOString().slice(0, 10);
  expect(testsOf(data)[0]).toMatchObject({ count: 2000, first_date: cut });
  expect(data['notes']).toContainEqual(expect.stringContaining(`Only results from ${cut} on were read`));
});

it('of searches that were cut off takes the oldest result of each, not of all', async () => {
  // Vital signs have two searches: by category, and by code where there is none.
  const day = (n: number): string => new Date(Date.UTC(2000, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);
  const vital = (id: string, date: string, more: object = {}) =>
    result(id, date, 70, { code: loinc('8867-4', 'Heart rate'), category: undefined, ...more });
  for (let n = 0; n < 2500; n++)
    record.add('r4', vital(`c${n}`, day(5000 - n), { category: [{ coding: [{ code: 'vital-signs' }] }] }));
  record.add('r4', vital('old', day(0)));
  const { data } = await runTool(record, 'list_vital_signs');
  expect(data['notes']).toContainEqual(expect.stringContaining(`Only results from ${day(3001)} on were read`));
  expect(testsOf(data)[0]).toMatchObject({ count: 2000 });
});
