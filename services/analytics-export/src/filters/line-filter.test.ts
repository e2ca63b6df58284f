import { typeCodeOf } from '@tributary/record-storage';
import { canFilter, lineFilter } from './line-filter';

const at = Date.parse('2026-01-01');
const line = (resource: object): Buffer => Buffer.from(JSON.stringify(resource));
const observation = typeCodeOf('r4', 'Observation');
const final = line({
  resourceType: 'Observation',
  id: 'a',
  status: 'final',
  subject: { reference: 'Patient/p1' },
  code: { text: 'x' },
});
const amended = line({ resourceType: 'Observation', id: 'b', status: 'amended', subject: { reference: 'Patient/p2' } });

it('has no filter for a type without a selection', () => {
  expect(lineFilter(observation, {}, at)).toBeUndefined();
  expect(
    lineFilter(observation, { typeFilters: ['Condition?code=x'], elements: ['Patient.name'] }, at),
  ).toBeUndefined();
});

it('keeps what matches one of the searches of its type', () => {
  const filter = lineFilter(
    observation,
    { typeFilters: ['Observation?status=final', 'Observation?_id=zzz', 'Condition?code=x'] },
    at,
  );
  expect([filter?.(final), filter?.(amended)]).toEqual([final, undefined]);
});

it('keeps what is in the compartment of one of the patients', () => {
  const filter = lineFilter(observation, { patients: ['p2', 'p3'] }, at);
  expect([filter?.(final), filter?.(amended)]).toEqual([undefined, amended]);
  const mentioned = line({ resourceType: 'Observation', id: 'c', status: 'final', note: [{ text: 'p2' }] });
  expect(filter?.(mentioned)).toBeUndefined();
  const patients = lineFilter(typeCodeOf('dstu2', 'Patient'), { patients: ['p2'] }, at);
  expect(patients?.(line({ resourceType: 'Patient', id: 'p2' }))).toBeDefined();
  expect(patients?.(line({ resourceType: 'Patient', id: 'p22' }))).toBeUndefined();
});

it('keeps the elements named and the mandatory ones, decimals with their text', () => {
  const whole = Buffer.from(
    '{"resourceType":"Observation","id":"a","meta":{"versionId":"1","tag":[{"code":"own"}]},"status":"final","_status":{"id":"s"},"code":{"text":"x"},"valueQuantity":{"value":1.50},"note":[{"text":"y"}]}',
  );
  const filter = lineFilter(observation, { elements: ['value', 'Patient.name'] }, at);
  expect(filter?.(whole)?.toString()).toBe(
    '{"resourceType":"Observation","id":"a","meta":{"versionId":"1","tag":[{"code":"own"},{"system":"http://terminology.hl7.org/CodeSystem/v3-ObservationValue","code":"SUBSETTED"}]},"status":"final","_status":{"id":"s"},"code":{"text":"x"},"valueQuantity":{"value":1.50}}',
  );
});

it('finds the releases that have a search', () => {
  const selection = { typeFilters: ['Condition?recorded-date=ge2020'] };
  expect(
    [typeCodeOf('r4', 'Condition'), typeCodeOf('dstu2', 'Condition')].map((typeCode) =>
      canFilter(typeCode, selection, at),
    ),
  ).toEqual([true, false]);
});
