import { parseDateTime } from '@tributary/fhir-json';
import { conceptName } from './concepts';
import { type Node, at, decimalAt, shortened, textAt } from './json';

/** A Quantity with its comparator and unit, such as `< 0.1 mg/dL`. */
export function quantityText(quantity: unknown): string | undefined {
  const value = decimalAt(quantity, 'value');
  if (value === undefined) return undefined;
  return [textAt(quantity, 'comparator'), value, unitOf(quantity)].filter(Boolean).join(' ');
}

export function unitOf(quantity: unknown): string | undefined {
  return textAt(quantity, 'unit') ?? textAt(quantity, 'code');
}

function rangeText(range: unknown): string | undefined {
  const [low, high] = [quantityText(at(range, 'low')), quantityText(at(range, 'high'))];
  if (low === undefined && high === undefined) return undefined;
  return low === undefined ? `up to ${high}` : high === undefined ? `${low} or more` : `${low} – ${high}`;
}

/** A reference range of an Observation: its text, or its limits with the unit once. */
export function referenceRangeText(observation: Node): string | undefined {
  const range = at(observation, 'referenceRange');
  const text = textAt(range, 'text');
  if (text !== undefined) return shortened(text, 120);
  const [low, high] = [decimalAt(range, 'low', 'value'), decimalAt(range, 'high', 'value')];
  const unit = unitOf(at(range, 'low')) ?? unitOf(at(range, 'high'));
  if (low === undefined && high === undefined) return undefined;
  const limits = low === undefined ? `≤ ${high}` : high === undefined ? `≥ ${low}` : `${low} – ${high}`;
  return unit === undefined ? limits : `${limits} ${unit}`;
}

/** A period as `start – end`, where an open end is left out. */
export function periodText(period: unknown): string | undefined {
  const [start, end] = [textAt(period, 'start'), textAt(period, 'end')];
  if (start === undefined) return end === undefined ? undefined : `until ${end}`;
  return end === undefined || end === start ? start : `${start} – ${end}`;
}

const maxStringLength = 500;

/** The value of an Observation or of a component as text; undefined when it has none. */
export function valueText(node: Node): string | undefined {
  const string = textAt(node, 'valueString');
  if (string !== undefined) return shortened(string, maxStringLength);
  const boolean = at(node, 'valueBoolean');
  if (typeof boolean === 'boolean') return boolean ? 'yes' : 'no';
  return (
    decimalAt(node, 'valueInteger') ??
    quantityText(at(node, 'valueQuantity')) ??
    conceptName(at(node, 'valueCodeableConcept')) ??
    rangeText(at(node, 'valueRange')) ??
    ratioText(at(node, 'valueRatio')) ??
    textAt(node, 'valueDateTime') ??
    textAt(node, 'valueTime') ??
    periodText(at(node, 'valuePeriod'))
  );
}

function ratioText(ratio: unknown): string | undefined {
  const [numerator, denominator] = [quantityText(at(ratio, 'numerator')), quantityText(at(ratio, 'denominator'))];
  return numerator === undefined || denominator === undefined ? undefined : `${numerator} : ${denominator}`;
}

/** The first millisecond of a FHIR date, for sorting and filtering. Undefined when it is not a date. */
export function beginningOf(date: string | undefined): number | undefined {
  return date === undefined ? undefined : parseDateTime(date)?.low;
}
