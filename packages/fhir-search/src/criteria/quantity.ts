import type { Condition } from '../index/index-values';
import { canonicalName, numberName, unitTerm } from '../index/terms';
import { splitUnescaped, unescaped } from '../query/escapes';
import { SearchError } from '../search-error';
import { canonicalUnit, ucumSystem, type CanonicalUnit } from '../values/canonical-units';
import type { Range } from '../values/date-range';
import { canonicalUnitOf, numberRangeOf, quantityOf, type QuantityValue } from '../values/quantities';
import { allOf } from './criterion';
import { numberBounds, rangeCondition, rangeFits, splitPrefix, type Prefix } from './ordered';
import type { ValueContext, ValueTest } from './value-test';

interface SearchedNumber {
  prefix: Prefix;
  value: number;
  /** The interval that the written digits mean: 5.4 is [5.35, 5.45). */
  precise: Range;
  approximate: Range;
}

const numberPattern = /^[-+]?(\d+)?(?:\.(\d*))?(?:[eE]([-+]?\d{1,3}))?$/;

/**
 * Parses a number with its prefix and precision: https://hl7.org/fhir/R4/search.html#number. `1e2` means 1.0e2, the
 * interval [95, 105).
 * @throws SearchError when it is no number
 */
function parseSearchedNumber(text: string, parameter: string): SearchedNumber {
  const { prefix, rest } = splitPrefix(text);
  const match = numberPattern.exec(rest);
  const [, whole = '', decimals, exponent] = match ?? [];
  const value = Number(rest);
  if (!match || whole + (decimals ?? '') === '' || !Number.isFinite(value))
    throw new SearchError(parameter, 'invalid', `${parameter} takes a number`);
  const written = exponent === undefined ? (decimals?.length ?? 0) : (decimals?.length ?? 1) - Number(exponent);
  const half = 0.5 * 10 ** -written;
  const margin = Math.abs(value) / 10;
  return {
    prefix,
    value,
    precise: { low: tidy(value - half), high: tidy(value + half) },
    approximate: { low: value - margin, high: value + margin },
  };
}

/** 5.4 - 0.05 is 5.35, not 5.3500000000000005. */
function tidy(value: number): number {
  return Number(value.toPrecision(15));
}

/** The test of a number parameter. @throws SearchError when the value is no number */
export function parseNumber(text: string, { parameter }: ValueContext): ValueTest {
  const { prefix, value, precise, approximate } = parseSearchedNumber(text, parameter);
  const alternatives = numberBounds(prefix, value, precise, approximate);
  return {
    condition: ({ index }) => rangeCondition('number', numberName(index.name), index.repeats, alternatives),
    exact: () => true,
    test: (_path, stored) => {
      const range = numberRangeOf(stored);
      return range !== undefined && rangeFits(range, alternatives);
    },
  };
}

/**
 * `number`, `number|system|code` or `number||unit` (https://hl7.org/fhir/R4/search.html#quantity). UCUM units are
 * compared in base units: 5.4 mg/dL equals 54 mg/L.
 * @throws SearchError
 */
export function parseQuantity(text: string, { parameter }: ValueContext): ValueTest {
  const parts = splitUnescaped(text, '|').map(unescaped);
  const [number = '', system = '', code = ''] = parts;
  if (parts.length === 2 || parts.length > 3)
    throw new SearchError(parameter, 'invalid', `${parameter} takes number, number|system|code or number||code`);
  const searched = parseSearchedNumber(number, parameter);
  const base = system === ucumSystem && code !== '' ? canonicalUnit(code) : undefined;
  return base ? canonicalTest(searched, base) : literalTest(searched, system, code);
}

function canonicalTest({ prefix, value, precise, approximate }: SearchedNumber, base: CanonicalUnit): ValueTest {
  const converted = (range: Range): Range => ({ low: base.convert(range.low), high: base.convert(range.high) });
  const alternatives = numberBounds(prefix, base.convert(value), converted(precise), converted(approximate));
  return {
    condition: ({ index }) =>
      rangeCondition('number', canonicalName(index.name, base.unit), index.repeats, alternatives),
    exact: () => true,
    test: (path, stored) => {
      const quantity = quantityOf(path.type, stored);
      const own = quantity && canonicalUnitOf(quantity);
      if (!own || own.unit !== base.unit) return false;
      return rangeFits({ low: own.convert(quantity.low), high: own.convert(quantity.high) }, alternatives);
    },
  };
}

/** Compares quantities whose unit is not converted: the units must be equal. */
function literalTest({ prefix, value, precise, approximate }: SearchedNumber, system: string, code: string): ValueTest {
  const alternatives = numberBounds(prefix, value, precise, approximate);
  const sameUnit = (quantity: QuantityValue): boolean => {
    if (system !== '' && quantity.system !== system) return false;
    return code === '' || quantity.code === code || (system === '' && quantity.unit === code);
  };
  return {
    condition: ({ index: { name, repeats } }) => {
      const range = rangeCondition('number', numberName(name), repeats, alternatives);
      const unit: Condition[] = code === '' ? [] : [{ op: 'any-term', terms: [unitTerm(name, code)] }];
      return allOf([range, ...unit]);
    },
    exact: ({ index }) => system === '' && (code === '' || !index.repeats),
    test: (path, stored) => {
      const quantity = quantityOf(path.type, stored);
      return quantity !== undefined && sameUnit(quantity) && rangeFits(quantity, alternatives);
    },
  };
}
