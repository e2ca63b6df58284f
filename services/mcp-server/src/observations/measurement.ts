import { conceptCodes, conceptName, conceptNames, noteText, statusCode } from '../fhir/concepts';
import { type Node, at, nodesAt, numberAt, textAt } from '../fhir/json';
import { beginningOf, quantityText, referenceRangeText, unitOf, valueText } from '../fhir/values';
import type { Joinable } from '../record/join-releases';
import type { Found } from '../record/read-all';
import { sourceOf } from '../record/source';

/** A number with its unit, of a value or of a component such as systolic pressure. */
export interface MeasuredNumber {
  name: string;
  /** Tells components of one test apart. */
  code: string;
  /** Undefined with a comparator such as `<`. */
  number: number | undefined;
  unit: string | undefined;
}

/** A result of a test, or a vital sign. */
export interface Measurement extends Joinable {
  date: string | undefined;
  time: number | undefined;
  value: string;
  /** The number of a simple quantity, for trends; undefined with a comparator such as `<`. */
  number: number | undefined;
  unit: string | undefined;
  components: MeasuredNumber[];
  flag: string | undefined;
  range: string | undefined;
  status: string | undefined;
  note: string | undefined;
}

const maxComponents = 20;
const hidden = new Set(['entered-in-error', 'cancelled']);

/** Observation: https://hl7.org/fhir/R4/observation.html. Undefined when it was entered in error or cancelled. */
export function readMeasurement({ resource, release, reference }: Found): Measurement | undefined {
  const status = textAt(resource, 'status');
  if (status !== undefined && hidden.has(status)) return undefined;
  const date =
    textAt(resource, 'effectiveDateTime') ??
    textAt(resource, 'effectivePeriod', 'start') ??
    textAt(resource, 'effectiveInstant') ??
    textAt(resource, 'issued');
  const value = resultText(resource);
  const number = numberOf(resource);
  return {
    reference,
    release,
    source: sourceOf(resource),
    name: conceptName(at(resource, 'code')) ?? 'unnamed observation',
    codes: conceptCodes(at(resource, 'code')),
    sameness: JSON.stringify([date?.slice(0, 10), value]),
    date,
    time: beginningOf(date),
    value,
    number,
    unit: unitOf(at(resource, 'valueQuantity')),
    components: nodesAt(resource, 'component').slice(0, maxComponents).map(readComponent),
    flag: conceptNames(nodesAt(resource, 'interpretation')) ?? flagOf(number, resource),
    range: referenceRangeText(resource),
    status: status === 'final' ? undefined : status,
    note: noteText(resource) ?? textAt(resource, 'comment'),
  };
}

/** The number of a value that is a simple quantity; undefined with a comparator. */
function numberOf(node: Node): number | undefined {
  return textAt(node, 'valueQuantity', 'comparator') === undefined
    ? numberAt(node, 'valueQuantity', 'value')
    : undefined;
}

function readComponent(component: Node): MeasuredNumber {
  const name = conceptName(at(component, 'code')) ?? 'component';
  return {
    name,
    code: conceptCodes(at(component, 'code'))[0] ?? name.toLowerCase(),
    number: numberOf(component),
    unit: unitOf(at(component, 'valueQuantity')),
  };
}

/** The value, and those of the components, such as systolic and diastolic pressure. */
function resultText(resource: Node): string {
  const components = nodesAt(resource, 'component').map((component) => {
    const value = valueText(component) ?? absence(component);
    return `${conceptName(at(component, 'code')) ?? 'component'} ${value ?? 'no value'}`;
  });
  const parts = [valueText(resource), ...components].filter(Boolean);
  if (parts.length > 0) return parts.slice(0, maxComponents).join('; ');
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
