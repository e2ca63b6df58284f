import { UcumLhcUtils } from '@lhncbc/ucum-lhc';
import { UnitString } from '@lhncbc/ucum-lhc/source-cjs/unitString.js';

/** How to turn a value of a unit into one of its base units. */
export interface CanonicalUnit {
  /** The base units, such as `g.m-3`. */
  unit: string;
  convert(value: number): number;
}

export const ucumSystem = 'http://unitsofmeasure.org';

const remembered = new Map<string, CanonicalUnit | null>();
const rememberedAtMost = 5000;

/** The canonical form of a UCUM unit; undefined when UCUM does not know the unit, or has no straight line from it to base units. */
export function canonicalUnit(code: string): CanonicalUnit | undefined {
  let found = remembered.get(code);
  if (found === undefined) {
    found = findCanonicalUnit(code);
    if (remembered.size >= rememberedAtMost) remembered.clear();
    remembered.set(code, found);
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
  // Logarithmic units (pH, decibels) are no straight line: they are compared by their code only.
  const straight = Math.abs(hundred.magnitude - (offset + 100 * factor)) <= 1e-9 * Math.abs(hundred.magnitude);
  if (!straight || !(factor > 0) || !Number.isFinite(factor)) return null;
  return { unit: one.unit, convert: (value) => rounded(offset + value * factor) };
}

/**
 * Whether a unit says only in an annotation what is counted, such as `{score}` or `/{HPF}`. To UCUM all of these are the number one, as a percentage is the hundredth part of it;
 * but 26 pack-years are not more than 77 %.
 */
function isCountOfSomething(code: string): boolean {
  return code.includes('{') && !/[^\d./*()+-]/.test(code.replaceAll(/\{[^{}]*\}/g, ''));
}

/** 5.4 mg/dL and 54 mg/L must become the very same number. */
function rounded(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(12)) : value;
}

/** Asked first, since the conversion writes units that it cannot read to the console, and they are clinical data. */
function isUcum(code: string): boolean {
  try {
    // The parser finds no unit before the library has filled its tables.
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
