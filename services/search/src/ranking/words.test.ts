import { fold, camelCaseParts, sortKey, words } from './words';
import { termOf } from './terms';
import { stateOfPostalCode } from './postal-code-states';

describe('words', () => {
  it('keeps possessives and acronyms together and drops what is neither letter nor digit', () => {
    expect(words("St. Luke's Hospital, M.D. (North) 78503-1728")).toEqual([
      'St',
      'Lukes',
      'Hospital',
      'MD',
      'North',
      '78503',
      '1728',
    ]);
    expect(words('Mercy – D’Youville & Sons')).toEqual(['Mercy', 'DYouville', 'Sons']);
    expect(words(' … !! ')).toEqual([]);
  });

  it('finds the parts of words with capitals inside', () => {
    expect(camelCaseParts('NewYork')).toEqual(['New', 'York']);
    expect(camelCaseParts('Hospital')).toEqual([]);
    expect(camelCaseParts('UCSF')).toEqual([]);
  });
});

describe('fold', () => {
  it('forgets case and accents, in letters that can be taken apart and in those that cannot', () => {
    expect(fold('HÔPITAL Saint-Éloi')).toBe('hopital saint-eloi');
    expect(fold('Łódź Størebælt Straße')).toBe('lodz storebaelt strasse');
    expect(fold('İstanbul')).toBe('istanbul');
  });

  it('orders names by their words alone', () => {
    expect(sortKey('  The  Émile-Roux Clinic, ')).toBe('the emile roux clinic');
    expect(sortKey('***')).toBe('');
  });
});

describe('termOf', () => {
  it('writes short forms out and takes plurals back', () => {
    expect(
      ['Hosp', 'Ctr', 'St', 'Lukes', 'Childrens', 'Pediatrics', 'Surgeries', 'Campus', 'Access', '1728'].map(termOf),
    ).toEqual(['hospital', 'center', 'saint', 'luke', 'children', 'pediatric', 'surgery', 'campus', 'access', '1728']);
  });
});

describe('stateOfPostalCode', () => {
  it('knows the state of a postal code of the United States', () => {
    expect(['43215', '43215-1234', '00901', '10014', '99501', '02114'].map(stateOfPostalCode)).toEqual([
      'oh',
      'oh',
      'pr',
      'ny',
      'ak',
      'ma',
    ]);
    expect(['', 'SW1A 1AA', '4321', '00000'].map(stateOfPostalCode)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
