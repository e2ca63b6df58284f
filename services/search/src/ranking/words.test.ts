import { fold, camelCaseParts, sortKey, words } from './words';
import { termOf } from './terms';
import { stateOfPostalCode } from './postal-code-states';

describe('words', () => {
  it('keeps possessives and acronyms together and drops punctuation', () => {
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

  it('splits camel-case words', () => {
    expect(camelCaseParts('NewYork')).toEqual(['New', 'York']);
    expect(camelCaseParts('Hospital')).toEqual([]);
    expect(camelCaseParts('UCSF')).toEqual([]);
  });
});

describe('fold', () => {
  it('removes case and accents, also of letters without a decomposition', () => {
    expect(fold('HÔPITAL Saint-Éloi')).toBe('hopital saint-eloi');
    expect(fold('Łódź Størebælt Straße')).toBe('lodz storebaelt strasse');
    expect(fold('İstanbul')).toBe('istanbul');
  });

  it('makes sort keys of words only', () => {
    expect(sortKey('  The  Émile-Roux Clinic, ')).toBe('the emile roux clinic');
    expect(sortKey('***')).toBe('');
  });
});

describe('termOf', () => {
  it('expands abbreviations and removes plurals', () => {
    expect(
      ['Hosp', 'Ctr', 'St', 'Lukes', 'Childrens', 'Pediatrics', 'Surgeries', 'Campus', 'Access', '1728'].map(termOf),
    ).toEqual(['hospital', 'center', 'saint', 'luke', 'children', 'pediatric', 'surgery', 'campus', 'access', '1728']);
  });
});

describe('stateOfPostalCode', () => {
  it('returns the state of a ZIP code', () => {
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
