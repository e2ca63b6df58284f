import fc from 'fast-check';
import { parseJson } from '@tributary/fhir-json';
import { canonicalUnit } from './canonical-units';
import { fold, soundex } from './folding';
import { numberRangeOf, quantityOf } from './quantities';
import { canonicalTexts, normalReference, referencedType } from './references';

describe('fold', () => {
  it.each([
    ['Müller-Lüdenscheidt', 'muller-ludenscheidt'],
    ['  Two \t Words ', 'two words'],
    ['Straße', 'strasse'],
    ['ÉCOLE', 'ecole'],
    ['李小龍', '李小龍'],
  ])('folds %s', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it('is idempotent', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(fold(fold(text))).toBe(fold(text))));
  });
});

describe('soundex', () => {
  it.each([
    ['robert', 'r163'],
    ['rupert', 'r163'],
    ['ashcraft', 'a261'],
    ['tymczak', 't522'],
    ['pfister', 'p236'],
    ['lee', 'l000'],
  ])('of %s', (word, code) => {
    expect(soundex(word)).toBe(code);
  });
});

describe('canonicalUnit', () => {
  const base = (code: string, value: number): unknown => {
    const unit = canonicalUnit(code);
    return unit && [unit.convert(value), unit.unit];
  };

  it('converts equal quantities to the same number', () => {
    expect(base('mg/dL', 5.4)).toEqual([54, 'g.m-3']);
    expect(base('mg/dL', 5.4)).toEqual(base('mg/L', 54));
    expect(base('[lb_av]', 1)).toEqual(base('kg', 0.45359237));
    expect(base('Cel', 37)).toEqual(base('K', 310.15));
    expect(base('[degF]', 98.6)).toEqual(base('Cel', 37));
    expect(base('h', 1)).toEqual(base('min', 60));
  });

  it('does not convert non-UCUM, arbitrary and logarithmic units', () => {
    expect(['furlongs per fortnight', '[iU]/L', '[pH]', 'dB', ''].map((code) => canonicalUnit(code))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('compares quantities with an annotation as unit only with the same unit', () => {
    expect(['{score}', '{pack-years}', '/{HPF}', '10*3/{cells}'].map((code) => canonicalUnit(code))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(base('{beats}/min', 60)).toEqual(base('/min', 60));
    expect(base('%{HbA1c}', 50)).toEqual(base('%', 50));
    expect(base('1', 0.5)).toEqual(base('%', 50));
  });

  it('writes nothing to the console for any unit', () => {
    const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .array(fc.constantFrom('mg', '/', '(', ')', '{', '}', '[', ']', ' ', '.', '10*', 'per', 'K'))
            .map((parts) => parts.join('')),
        ),
        (code) => void canonicalUnit(code),
      ),
    );
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
  });

  it('keeps the order of values', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('mg/dL', 'mm[Hg]', 'Cel', '/min', 'kg/m2'),
        fc.integer({ min: -1e6, max: 1e6 }),
        fc.integer({ min: 1, max: 1e6 }),
        (code, low, step) => {
          const unit = canonicalUnit(code);
          expect(unit && unit.convert(low / 100) < unit.convert((low + step) / 100)).toBe(true);
        },
      ),
    );
  });
});

describe('quantityOf', () => {
  it('reads values, comparators, ranges, money and samples', () => {
    expect(
      quantityOf('Quantity', { value: 5, unit: 'mg', system: 'http://unitsofmeasure.org', code: 'mg' }),
    ).toMatchObject({ low: 5, high: 5, code: 'mg' });
    expect(quantityOf('Quantity', { value: 5, comparator: '<' })).toEqual({ low: -Infinity, high: 5 });
    expect(quantityOf('Quantity', { value: 5, comparator: '>=' })).toEqual({ low: 5, high: Infinity });
    expect(quantityOf('Range', { low: { value: 1, code: 'a' }, high: { value: 3 } })).toEqual({
      low: 1,
      high: 3,
      code: 'a',
    });
    expect(quantityOf('Range', { high: { value: 3 } })).toEqual({ low: -Infinity, high: 3 });
    expect(quantityOf('Money', { value: 12.5, currency: 'EUR' })).toEqual({
      low: 12.5,
      high: 12.5,
      system: 'urn:iso:std:iso:4217',
      code: 'EUR',
    });
    expect(quantityOf('SampledData', { origin: { value: 10 }, factor: 2, data: '1 E -3 4 U' })).toEqual({
      low: 4,
      high: 18,
    });
    expect(quantityOf('Quantity', { code: 'mg' })).toBeUndefined();
  });

  it('reads decimals that keep their text', () => {
    const value = parseJson('{"value":1.50}');
    expect(quantityOf('Quantity', value)).toEqual({ low: 1.5, high: 1.5 });
    expect(numberRangeOf(parseJson('0.10000000000000000000001'))).toEqual({ low: 0.1, high: 0.1 });
  });
});

describe('references', () => {
  it('are compared without their version', () => {
    expect(normalReference('Patient/1/_history/2')).toBe('Patient/1');
    expect(normalReference('http://x/fhir/Patient/1/_history/2')).toBe('http://x/fhir/Patient/1');
    expect(normalReference('#p')).toBeUndefined();
    expect(referencedType('http://x/fhir/Patient/1')).toBe('Patient');
    expect(referencedType('urn:uuid:0')).toBeUndefined();
    expect(canonicalTexts('http://x/q|1.0')).toEqual(['http://x/q|1.0', 'http://x/q']);
  });
});
