import { decimalValue, isDecimal, isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { canonicalUnit, ucumSystem, type CanonicalUnit } from './canonical-units';
import type { Range } from './date-range';

/** A quantity as an interval of numbers in a unit. */
export interface QuantityValue extends Range {
  system: string | undefined;
  code: string | undefined;
  /** The human-readable unit. */
  unit: string | undefined;
}

const currencySystem = 'urn:iso:std:iso:4217';

/** The quantity of a Quantity, Money, Range or SampledData. Undefined when it has no number. */
export function quantityOf(type: string, value: JsonValue): QuantityValue | undefined {
  if (!isJsonObject(value)) return undefined;
  switch (type) {
    case 'Range':
      return rangeQuantity(value);
    case 'SampledData':
      return sampledQuantity(value);
    default:
      return plainQuantity(value);
  }
}

function plainQuantity(value: JsonObject): QuantityValue | undefined {
  const number = value['value'];
  if (!isDecimal(number)) return undefined;
  const at = decimalValue(number);
  const comparator = value['comparator'];
  const below = comparator === '<' || comparator === '<=';
  const above = comparator === '>' || comparator === '>=';
  const { currency } = value;
  const isMoney = typeof currency === 'string';
  return {
    low: below ? -Infinity : at,
    high: above ? Infinity : at,
    system: isMoney ? currencySystem : text(value['system']),
    code: isMoney ? currency : text(value['code']),
    unit: text(value['unit']),
  };
}

const text = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

function rangeQuantity(value: JsonObject): QuantityValue | undefined {
  const low = isJsonObject(value['low']) ? plainQuantity(value['low']) : undefined;
  const high = isJsonObject(value['high']) ? plainQuantity(value['high']) : undefined;
  const either = low ?? high;
  return either && { ...either, low: low?.low ?? -Infinity, high: high?.high ?? Infinity };
}

/** From the lowest sample to the highest. */
function sampledQuantity(value: JsonObject): QuantityValue | undefined {
  const origin = isJsonObject(value['origin']) ? plainQuantity(value['origin']) : undefined;
  const { data, factor } = value;
  if (!origin || typeof data !== 'string') return undefined;
  const samples = data.split(/\s+/).filter((sample) => sample !== '' && Number.isFinite(Number(sample)));
  if (samples.length === 0) return undefined;
  const scale = isDecimal(factor) ? decimalValue(factor) : 1;
  let low = Infinity;
  let high = -Infinity;
  for (const sample of samples) {
    const at = origin.low + Number(sample) * scale;
    low = Math.min(low, at);
    high = Math.max(high, at);
  }
  return { ...origin, low, high };
}

/** The conversion of a quantity to base units. Undefined when its unit is not a UCUM unit. */
export function canonicalUnitOf(quantity: QuantityValue): CanonicalUnit | undefined {
  return quantity.system === ucumSystem && quantity.code !== undefined ? canonicalUnit(quantity.code) : undefined;
}

/** The interval of a value of a number parameter. */
export function numberRangeOf(value: JsonValue): Range | undefined {
  if (isDecimal(value)) {
    const at = decimalValue(value);
    return { low: at, high: at };
  }
  if (!isJsonObject(value)) return undefined;
  return 'low' in value || 'high' in value ? rangeQuantity(value) : plainQuantity(value);
}
