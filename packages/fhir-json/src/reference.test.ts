import { isLogicalId, isUuid, parseReference } from './reference';

describe('parseReference', () => {
  it.each([
    ['Patient/1', { base: '', type: 'Patient', id: '1' }],
    ['Patient/a-B.9/_history/2', { base: '', type: 'Patient', id: 'a-B.9', version: '2' }],
    ['Patient/1#part', { base: '', type: 'Patient', id: '1', fragment: '#part' }],
    ['Patient?identifier=http://x/Y/1', { base: '', type: 'Patient' }],
    ['https://a.org/fhir/Patient/1', { base: 'https://a.org/fhir/', type: 'Patient', id: '1' }],
    ['https://a.org/Group/Patient/1', { base: 'https://a.org/Group/', type: 'Patient', id: '1' }],
    ['Nothing/1', { base: '', type: 'Nothing', id: '1' }],
  ])('reads %s', (text, expected) => {
    expect(parseReference(text)).toEqual({ id: undefined, version: undefined, fragment: undefined, ...expected });
  });

  it.each([
    '',
    '#x',
    'Patient',
    'Patient/',
    'Patient/a_b',
    `Patient/${'x'.repeat(65)}`,
    'patient/1',
    'Patient/1/2',
    'Patient/1/_history/',
    'Patient?',
    'urn:uuid:c757873d-ec9a-4326-a141-556f43239520',
    'https://a.org/x?y=Patient/1',
    ' Patient/1',
    'Patient/1\n',
  ])('refuses %j', (text) => {
    expect(parseReference(text)).toBeUndefined();
  });

  it('takes time in proportion to the length of the text', () => {
    expect(parseReference(`${'Patient/1/'.repeat(100_000)}_`)).toBeUndefined();
  });
});

it('recognizes ids and UUIDs', () => {
  expect(['a', 'A-1.b', 'x'.repeat(64)].every(isLogicalId)).toBe(true);
  expect(['', 'a_b', 'x'.repeat(65), 'é', 'a\n'].some(isLogicalId)).toBe(false);
  expect(isUuid('c757873d-ec9a-4326-a141-556f43239520')).toBe(true);
  expect(['C757873D-ec9a-4326-a141-556f43239520', 'c757873dec9a4326a141556f43239520', ''].some(isUuid)).toBe(false);
});
