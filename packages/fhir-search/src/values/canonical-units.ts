import { UcumLhcUtils } from '@lhncbc/ucum-lhc';
import { UnitString } from '@lhncbc/ucum-lhc/source-cjs/unitString.js';

/** The conversion of a unit to base units. */
export interface CanonicalUnit {
  /** The base units, such as `g.m-3`. */
  unit: string;
  convert(value: number): number;
}

/** The code system of UCUM units. */
export const ucumSystem = 'http://unitsofmeasure.org';

const cachedUnits = new Map<string, CanonicalUnit | null>();
const maxCachedUnits = 5000;

/**
 * The canonical form of a UCUM unit (https://ucum.org/ucum). Undefined for a unit that UCUM does not have, or whose
 * conversion is not linear.
 */
export function canonicalUnit(code: string): CanonicalUnit | undefined {
  let found = cachedUnits.get(code);
  if (found === undefined) {
    found = findCanonicalUnit(code);
    if (cachedUnits.size >= maxCachedUnits) cachedUnits.clear();
    cachedUnits.set(code, found);
  }
  return found ?? undefined;
}

function findCanonicalUnit(code: string): CanonicalUnit | null {
  if (!isUcum(code) || isCountOfSomething(code)) return null;
  const zero = toBase(code, 0);
  const one = toBase(code, 1);
  const hundred = toBase(code, 100);
  if (!zero || !one || !hundred) return null;
  const offset = zero.magnitude;
  const factor = one.magnitude - offset;
  // The conversion of logarithmic units (pH, decibels) is not linear: these are compared by code.
  const straight = Math.abs(hundred.magnitude - (offset + 100 * factor)) <= 1e-9 * Math.abs(hundred.magnitude);
  if (!straight || !(factor > 0) || !Number.isFinite(factor)) return null;
  return { unit: one.unit, convert: (value) => rounded(offset + value * factor) };
}

/**
 * Whether a unit consists of an annotation, such as `{score}` or `/{HPF}`. UCUM gives all of these the dimension of a
 * plain number, which would make 26 pack-years comparable with 77 %.
 */
function isCountOfSomething(code: string): boolean {
  return code.includes('{') && !/[^\d./*()+-]/.test(code.replaceAll(/\{[^{}]*\}/g, ''));
}

/** Removes floating-point errors, so that 5.4 mg/dL and 54 mg/L become the same number. */
function rounded(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(12)) : value;
}

/** Checked before the conversion, which writes invalid units to the console: units are clinical data. */
function isUcum(code: string): boolean {
  try {
    // This call fills the unit tables of the library, which the parser needs.
    UcumLhcUtils.getInstance();
    const [unit, read] = UnitString.getInstance().parseString(code, 'validate');
    return unit !== null && read === code;
  } catch {
    return false;
  }
}

function toBase(code: string, value: number): { magnitude: number; unit: string } | undefined {
  const result = UcumLhcUtils.getInstance().convertToBaseUnits(code, value);
  if (result.status !== 'succeeded' || !Number.isFinite(result.magnitude)) return undefined;
  const units = Object.entries(result.unitToExp).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    magnitude: result.magnitude,
    unit: units.map(([unit, exponent]) => unit + (exponent === 1 ? '' : exponent)).join('.'),
  };
}
