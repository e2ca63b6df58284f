import type { Bounds, Condition, RangeCondition } from '@tributary/fhir-search';
import { rangeEnd } from '../../index-values/blinding';
import { exactNumber } from '../../index-values/exact-numbers';
import type { RecordKeys } from '../../keys/record-keys';
import { timeOf } from '../times';
import type { MemoryIndex } from './memory-index';
import { simplified } from './simplified';

/** One byte for each row: 1 for those that are chosen. */
type Chosen = Uint8Array<ArrayBuffer>;

/** The maximum of conditions times rows: a search in memory keeps the process busy for less than about 0.1 s. */
const MAX_COMPARISONS = 3_000_000;

/** Whether a condition is decided without keeping the process busy. */
export function isShort({ length }: MemoryIndex, condition: Condition): boolean {
  return length * sizeOf(condition) <= MAX_COMPARISONS;
}

function sizeOf(condition: Condition): number {
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of.reduce((size, each) => size + sizeOf(each), 0);
    case 'not':
      return sizeOf(condition.of);
    default:
      return 1;
  }
}

/** The current rows that match, in ascending order. All of them obey the current index rules. */
export function matchingRows(index: MemoryIndex, keys: RecordKeys, condition: Condition): Uint32Array {
  const where = simplified(condition, (name) => index.rangesOfName.has(keys.blindRangeName(name)));
  const isOneTerm = where.op === 'any-term' && where.terms.length === 1;
  return isOneTerm
    ? currentOf(index, rowsOfTerms(index, keys, where.terms)[0] ?? [])
    : currentAmong(index, choose(index, keys, where));
}

function currentOf({ isCurrent }: MemoryIndex, rows: readonly number[]): Uint32Array {
  const current = new Uint32Array(rows.length);
  let length = 0;
  for (const row of rows) if (isCurrent[row] === 1) current[length++] = row;
  return current.subarray(0, length);
}

function currentAmong({ isCurrent }: MemoryIndex, chosen: Chosen): Uint32Array {
  const current = new Uint32Array(chosen.length);
  let length = 0;
  for (let row = 0; row < chosen.length; row++) if (chosen[row] === 1 && isCurrent[row] === 1) current[length++] = row;
  return current.subarray(0, length);
}

function choose(index: MemoryIndex, keys: RecordKeys, condition: Condition): Chosen {
  switch (condition.op) {
    case 'all':
      return none(index).fill(1);
    case 'outdated':
      return none(index);
    case 'and':
      return condition.of.map((each) => choose(index, keys, each)).reduce(keep, none(index).fill(1));
    case 'or':
      return condition.of.map((each) => choose(index, keys, each)).reduce(add, none(index));
    case 'not':
      return choose(index, keys, condition.of).map((isChosen) => 1 - isChosen);
    case 'any-term':
      return these(index, rowsOfTerms(index, keys, condition.terms));
    case 'has-range':
      return these(index, [index.rangesOfName.get(keys.blindRangeName(condition.name))?.rows ?? []]);
    case 'range':
      return inRange(index, keys, condition);
    case 'id':
      return these(index, [condition.ids.flatMap((id) => index.rowOf(id.toLowerCase()) ?? [])]);
    case 'last-updated':
      return updated(index, condition);
  }
}

const none = ({ length }: MemoryIndex): Chosen => new Uint8Array(length);

function keep(chosen: Chosen, other: Chosen): Chosen {
  for (let row = 0; row < chosen.length; row++) chosen[row] = (chosen[row] as number) & (other[row] as number);
  return chosen;
}

function add(chosen: Chosen, other: Chosen): Chosen {
  for (let row = 0; row < chosen.length; row++) chosen[row] = (chosen[row] as number) | (other[row] as number);
  return chosen;
}

function these(index: MemoryIndex, lists: readonly (readonly number[])[]): Chosen {
  const chosen = none(index);
  for (const rows of lists) for (const row of rows) chosen[row] = 1;
  return chosen;
}

function rowsOfTerms(index: MemoryIndex, keys: RecordKeys, terms: readonly string[]): (readonly number[])[] {
  return terms.map((term) => index.rowsOfTerm.get(keys.blindTerm(term)) ?? []);
}

/** Both ends of one range must be within the bounds; of the first range of a row where the path does not repeat. */
function inRange(index: MemoryIndex, keys: RecordKeys, { kind, name, repeats, low, high }: RangeCondition): Chosen {
  const chosen = none(index);
  const column = index.rangesOfName.get(keys.blindRangeName(name));
  if (!column) return chosen;
  const { rows, lows, highs } = column;
  const encode = (bound: number): bigint => rangeEnd(keys, kind, bound);
  const { from: lowFrom, to: lowTo } = intervalOf(low, encode, exactNumber);
  const { from: highFrom, to: highTo } = intervalOf(high, encode, exactNumber);
  for (let at = 0; at < rows.length; at++) {
    const lowEnd = lows[at] as number;
    if (lowEnd < lowFrom || lowEnd > lowTo) continue;
    const highEnd = highs[at] as number;
    if (highEnd < highFrom || highEnd > highTo) continue;
    const row = rows[at] as number;
    if (repeats || at === 0 || rows[at - 1] !== row) chosen[row] = 1;
  }
  return chosen;
}

function updated(index: MemoryIndex, bounds: Bounds): Chosen {
  const { from, to } = intervalOf(bounds, timeOf, Number);
  const chosen = none(index);
  for (let row = 0; row < chosen.length; row++) {
    const time = index.lastUpdated[row] as number;
    if (time >= from && time <= to) chosen[row] = 1;
  }
  return chosen;
}

/** The lowest and the highest whole number within bounds, as numbers of the same order. */
function intervalOf(
  { ge, gt, le, lt }: Bounds = {},
  encode: (bound: number) => bigint,
  numberOf: (value: bigint) => number,
): { from: number; to: number } {
  return {
    from: Math.max(
      ge === undefined ? -Infinity : numberOf(encode(ge)),
      gt === undefined ? -Infinity : numberOf(encode(gt) + 1n),
    ),
    to: Math.min(
      le === undefined ? Infinity : numberOf(encode(le)),
      lt === undefined ? Infinity : numberOf(encode(lt) - 1n),
    ),
  };
}
