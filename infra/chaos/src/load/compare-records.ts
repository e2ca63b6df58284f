import { tally } from '@tributary/test-environment';
import type { Findings } from '../findings';
import type { Resource } from './export';

/**
 * Compares the collected resources with their source: the same contents in the same numbers, and references to the same
 * contents. Ids and meta are ignored, since the store assigns them.
 */
export function compareRecords(
  username: string,
  source: readonly Resource[],
  stored: readonly Resource[],
  missing: 'lost' | 'falsely complete',
  findings: Findings,
): void {
  const expected = tally(shapes(source));
  const found = tally(shapes(stored));
  const count = (counts: Map<string, number>, other: Map<string, number>): number =>
    [...counts].reduce((sum, [shape, times]) => sum + Math.max(0, times - (other.get(shape) ?? 0)), 0);
  const [lacking, surplus] = [count(expected, found), count(found, expected)];
  if (lacking > 0) findings.add(missing, `a collection of ${username} lacks ${lacking} of ${source.length} resources`);
  if (surplus > 0 && stored.length > source.length)
    findings.add('duplicated', `a collection of ${username} has ${surplus} resources too many or changed`);
}

/** Each resource as text, with references replaced by the content of their targets. */
function shapes(resources: readonly Resource[]): string[] {
  const contents = new Map(
    resources.map((resource) => [`${resource.resourceType}/${resource.id}`, contentOf(resource)]),
  );
  return resources.map((resource) =>
    JSON.stringify([
      contentOf(resource),
      referencesOf(resource).map((reference) => contents.get(reference) ?? `nothing: ${reference}`),
    ]),
  );
}

function contentOf({ id: _id, meta: _meta, ...content }: Resource): string {
  return JSON.stringify(sorted(content));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'reference')
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

function referencesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, inner]) => (name === 'reference' && typeof inner === 'string' ? [inner] : referencesOf(inner)));
}
