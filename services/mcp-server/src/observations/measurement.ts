import { conceptCodes, conceptName, conceptNames, noteText, statusCode } from '../fhir/concepts';
import { type Node, at, nodesAt, numberAt, textAt } from '../fhir/json';
import { quantityText, referenceRangeText, timeOf, unitOf, valueText } from '../fhir/values';
import type { Joinable } from '../record/join-releases';
import { type Found, sourceOf } from '../record/read-all';

/** A result of a test, or a vital sign. */
export interface Measurement extends Joinable {
  date: string | undefined;
  time: number | undefined;
  value: string;
  /** The number of a simple quantity, for trends; undefined with a comparator such as `<`. */
  number: number | undefined;
  unit: string | undefined;
  flag: string | undefined;
  range: string | undefined;
  status: string | undefined;
  note: string | undefined;
}

const hidden = new Set(['entered-in-error', 'cancelled']);

/** Observation: https://hl7.org/fhir/R4/observation.html. Undefined when it was entered in error or cancelled. */
export function readMeasurement({ resource, release, reference }: Found): Measurement | undefined {
  const status = textAt(resource, 'status');
  if (status !== undefined && hidden.has(status)) return undefined;
  const quantity = at(resource, 'valueQuantity');
  const date =
    textAt(resource, 'effectiveDateTime') ??
    textAt(resource, 'effectivePeriod', 'start') ??
    textAt(resource, 'effectiveInstant') ??
    textAt(resource, 'issued');
  const value = resultText(resource);
  const number = textAt(quantity, 'comparator') === undefined ? numberAt(quantity, 'value') : undefined;
  return {
    reference,
    release,
    source: sourceOf(resource),
    name: conceptName(at(resource, 'code')) ?? 'unnamed observation',
    codes: conceptCodes(at(resource, 'code')),
    sameness: JSON.stringify([date?.slice(0, 10), value]),
    date,
    time: timeOf(date),
    value,
    number,
    unit: unitOf(quantity),
    flag: conceptNames(nodesAt(resource, 'interpretation')) ?? flagOf(number, resource),
    range: referenceRangeText(resource),
    status: status === 'final' ? undefined : status,
    note: noteText(resource) ?? textAt(resource, 'comment'),
  };
}

/** The value, and those of the components, such as systolic and diastolic pressure. */
function resultText(resource: Node): string {
  const components = nodesAt(resource, 'component').map((component) => {
    const value = valueText(component) ?? absence(component);
    return `${conceptName(at(component, 'code')) ?? 'component'} ${value ?? 'no value'}`;
  });
  const parts = [valueText(resource), ...components].filter(Boolean);
  if (parts.length > 0) return parts.slice(0, 20).join('; ');
  return absence(resource) ?? (nodesAt(resource, 'hasMember').length > 0 ? 'a panel; see its members' : 'no value');
}

function absence(node: Node): string | undefined {
  const reason = conceptName(at(node, 'dataAbsentReason')) ?? statusCode(at(node, 'dataAbsentReason'));
  return reason === undefined ? undefined : `no value (${reason})`;
}

/** The position of a number in a reference range that has the same unit and no condition. */
function flagOf(value: number | undefined, resource: Node): string | undefined {
  const ranges = nodesAt(resource, 'referenceRange');
  const [range] = ranges;
  if (value === undefined || range === undefined || ranges.length > 1) return undefined;
  if (at(range, 'appliesTo') !== undefined || at(range, 'age') !== undefined) return undefined;
  const unit = unitOf(at(resource, 'valueQuantity'));
  const limit = (name: 'low' | 'high'): number | undefined =>
    quantityText(at(range, name)) !== undefined && unitOf(at(range, name)) === unit
      ? numberAt(range, name, 'value')
      : undefined;
  const [low, high] = [limit('low'), limit('high')];
  if (low !== undefined && value < low) return 'low (compared with the reference range)';
  if (high !== undefined && value > high) return 'high (compared with the reference range)';
  return undefined;
}
