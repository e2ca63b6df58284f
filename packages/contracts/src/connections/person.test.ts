import { isOtherPerson, personOf } from './person';

const amelia = {
  resourceType: 'Patient',
  id: 'a-1',
  birthDate: '1984-03-09',
  name: [{ use: 'official', family: 'Hart', given: ['Amelia', 'Rose'] }],
  identifier: [{ system: 'urn:mrn', value: '1' }],
};

it.each<[string, object, object | string]>([
  ['the official name', amelia, { name: 'Amelia Rose Hart', birthDate: '1984-03-09' }],
  ['the text of a name', { name: [{ text: 'Hart, Amelia', family: 'Hart' }] }, { name: 'Hart, Amelia' }],
  ['a name of DSTU2', { name: [{ family: ['Hart'], given: ['Amelia'] }] }, { name: 'Amelia Hart' }],
  ['a current name', { name: [{ use: 'old', family: 'Grey' }, { family: 'Hart' }] }, { name: 'Hart' }],
  ['no name', { name: [{}] }, { name: undefined, names: [] }],
  ['the date of a time of birth', { birthDate: '1984-03-09T00:00:00.000Z' }, { birthDate: '1984-03-09' }],
  ['nothing of what is not valid', { birthDate: 7, name: 'Amelia', identifier: [null, { value: 1 }] }, { names: [] }],
  ['nothing of what is no resource of FHIR', { name: [{ family: [null, 'Hart'], given: 3 }] }, { name: 'Hart' }],
])('tells %s', (_what, patient, expected) => {
  expect(personOf(patient)).toMatchObject(expected as object);
});

const changed = (changes: object): object => ({ ...amelia, ...changes });
const named = (given: string, family: string): object => ({ name: [{ given: [given], family }] });
const otherIdentifier = { identifier: [{ system: 'urn:mrn', value: '2' }] };

it.each<[string, boolean, object, object]>([
  ['the same Patient', false, amelia, amelia],
  ['another birth date, with the same identifier and name', true, amelia, changed({ birthDate: '1984-03-10' })],
  ['a birth date of less precision', false, amelia, changed({ birthDate: '1984-03' })],
  ['another year', true, amelia, changed({ birthDate: '1985' })],
  ['no birth date, and the same name', false, amelia, changed({ birthDate: undefined, identifier: [] })],
  ['another name and identifier', true, amelia, changed({ ...named('Noah', 'Okafor'), ...otherIdentifier })],
  ['another name, and the same identifier', false, amelia, changed(named('Amelia', 'Grey'))],
  ['a twin', true, amelia, changed({ ...named('Anna', 'Hart'), ...otherIdentifier })],
  [
    'the name of before',
    false,
    changed({ ...amelia, name: [...amelia.name, { use: 'maiden', given: ['Amelia'], family: 'Grey' }] }),
    changed({ ...named('Amelia', 'Grey'), ...otherIdentifier }),
  ],
  [
    'another spelling',
    false,
    changed(named('Zoë', "O'Brien-Smith")),
    changed({ ...named('ZOE', 'OBrien Smith'), ...otherIdentifier }),
  ],
  ['a name as text', false, amelia, changed({ name: [{ text: 'Amelia Hart' }], ...otherIdentifier })],
  [
    'the value of an identifier of another system',
    true,
    amelia,
    changed({ ...named('Noah', 'Okafor'), identifier: [{ system: 'urn:other', value: '1' }] }),
  ],
  ['a Patient of which only the birth date is known', false, amelia, { birthDate: '1984-03-09' }],
  ['a Patient of which nothing is known', false, amelia, {}],
])('%s: another person is %s', (_what, expected, one, other) => {
  expect(isOtherPerson(personOf(one), personOf(other))).toBe(expected);
  expect(isOtherPerson(personOf(other), personOf(one))).toBe(expected);
});
