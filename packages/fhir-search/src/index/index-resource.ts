import type { Release, SearchPath } from '@tributary/fhir-definitions';
import type { JsonValue, Resource } from '@tributary/fhir-json';
import type { IndexRange, IndexValues } from './index-values';
import { dateRangesOf } from '../values/date-range';
import { compileSteps, isPresent, type Walk } from '../values/element-paths';
import { fold } from '../values/folding';
import { canonicalUnitOf, numberRangeOf, quantityOf } from '../values/quantities';
import { containedId } from '../values/contained-resources';
import { canonicalTexts, referenceTexts } from '../values/references';
import { stringsOf } from '../values/string-values';
import { comparableCode, tokensOf } from '../values/tokens';
import { typeIndex, type ElementIndex, type IndexedParameterType } from './element-index';
import {
  canonicalName,
  codeTerm,
  containedReferenceTerm,
  dateName,
  localDateName,
  numberName,
  prefixLength,
  prefixTerm,
  referenceTerm,
  systemCodeTerm,
  unitTerm,
  uriTerm,
} from './terms';

/** @param repeats whether a resource can have several values of the element */
type IndexWriter = (element: string, type: string, value: JsonValue, into: IndexValues, repeats: boolean) => void;

const indexWriters: Record<IndexedParameterType, IndexWriter> = {
  token(element, type, value, { terms }) {
    for (const { system, code } of tokensOf(type, value)) {
      if (code === undefined) continue;
      const comparable = comparableCode(type, code);
      terms.push(codeTerm(element, comparable));
      if (system !== undefined) terms.push(systemCodeTerm(element, system, comparable));
    }
  },
  reference(element, type, value, { terms }) {
    for (const reference of referenceTexts(type, value)) terms.push(referenceTerm(element, reference));
    if (containedId(value) !== undefined) terms.push(containedReferenceTerm(element));
  },
  uri(element, _type, value, { terms }) {
    if (typeof value === 'string') for (const uri of canonicalTexts(value)) terms.push(uriTerm(element, uri));
  },
  string(element, type, value, { terms }) {
    for (const text of stringsOf(type, value)) {
      const folded = fold(text);
      if (folded.length >= prefixLength) terms.push(prefixTerm(element, folded));
    }
  },
  date(element, type, value, { ranges }, repeats) {
    const found = dateRangesOf(type, value);
    if (!found) return;
    const { range } = found;
    ranges.push(indexRange(dateName(element), 'date', range.low, range.high));
    // With several values, a search could not tell which of them has no local range.
    const local = found.local ?? (repeats ? range : undefined);
    if (local) ranges.push(indexRange(localDateName(element), 'date', local.low, local.high));
  },
  number(element, _type, value, { ranges }) {
    const range = numberRangeOf(value);
    if (range) ranges.push(indexRange(numberName(element), 'number', range.low, range.high));
  },
  quantity(element, type, value, { terms, ranges }) {
    const quantity = quantityOf(type, value);
    if (!quantity) return;
    ranges.push(indexRange(numberName(element), 'number', quantity.low, quantity.high));
    const { code, unit } = quantity;
    if (code !== undefined) terms.push(unitTerm(element, code));
    if (unit !== undefined && unit !== code) terms.push(unitTerm(element, unit));
    const canonical = canonicalUnitOf(quantity);
    if (!canonical) return;
    const low = canonical.convert(quantity.low);
    ranges.push(
      indexRange(
        canonicalName(element, canonical.unit),
        'number',
        low,
        quantity.low === quantity.high ? low : canonical.convert(quantity.high),
      ),
    );
  },
};

function indexRange(name: string, kind: IndexRange['kind'], low: number, high: number): IndexRange {
  return { name, kind, low, high };
}

const extractors = new Map<string, Walk<IndexValues>[]>();

/** The index entries of a resource. `_id` and `_lastUpdated` are columns of the index row and are not among them. */
export function indexValues(release: Release, resource: Resource): IndexValues {
  const key = `${release}|${resource.resourceType}`;
  let walks = extractors.get(key);
  if (!walks) {
    walks = typeIndex(release, resource.resourceType).elements.flatMap((element) =>
      element.paths.map((path) => extractor(element, path)),
    );
    extractors.set(key, walks);
  }
  const found: IndexValues = { terms: [], ranges: [] };
  const { terms } = found;
  for (const walk of walks) {
    const before = terms.length;
    walk(resource, found);
    if (terms.length > before + 1) dropRepeated(terms, before);
  }
  return found;
}

function extractor({ name, parameterType, repeats }: ElementIndex, path: SearchPath): Walk<IndexValues> {
  if (path.anyOf) return (node, { terms }) => terms.push(codeTerm(name, String(isPresent(path, node))));
  const write = indexWriters[parameterType];
  return compileSteps<IndexValues>(path.steps, (value, into) => write(name, path.type, value, into, repeats));
}

/** Removes repeated terms from an index of the array on: components often have equal values. */
function dropRepeated(terms: string[], from: number): void {
  if (terms.length === from + 2) {
    if (terms[from] === terms[from + 1]) terms.pop();
    return;
  }
  const unique = new Set(terms.slice(from));
  if (unique.size === terms.length - from) return;
  terms.length = from;
  terms.push(...unique);
}
