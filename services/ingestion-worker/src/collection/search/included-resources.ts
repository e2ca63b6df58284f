import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import { finish, markPartlyRefused, warn } from '../../checkpoints/progress';

/**
 * Decides where the resources of a search are counted: searches return resources of other types too
 * (https://hl7.org/fhir/R4/search.html#revinclude). A resource of a type with searches of its own is counted there.
 */
export class IncludedResources {
  /** The types of which resources were included in the searches of others. */
  readonly types = new Set<string>();
  /** The keys (`Type/id`) of the counted resources: one Provenance can come with many resources. */
  readonly #counted = new Set<string>();

  /** @param searchedTypes the types that have searches */
  constructor(private readonly searchedTypes: ReadonlySet<string>) {}

  /** The type that counts a resource; undefined when it is counted already, or by the searches of its type. */
  countingType(searchedType: string, key: string): string | undefined {
    const [type = ''] = key.split('/');
    if (type !== 'Provenance' && (type === searchedType || this.searchedTypes.has(type)))
      return type === searchedType ? type : undefined;
    if (this.#counted.has(key)) return undefined;
    if (!key.endsWith('/')) this.#counted.add(key);
    this.types.add(type);
    return type;
  }
}

/**
 * Ends the types without searches of their own, once all searches have ended. Provenance is incomplete when a search
 * that includes it is incomplete, or was accepted only without it.
 * @returns the checkpoints that have changed
 */
export function finishIncluded(checkpoints: readonly CollectionCheckpoint[]): CollectionCheckpoint[] {
  const including = checkpoints.filter(({ search }) => search.provenance !== undefined);
  const withGaps = including.filter(
    ({ search, progress }) => search.provenance === 'omitted' || progress.outcome !== 'complete',
  );
  const provenance = checkpoints.find(({ type }) => type === 'Provenance');
  if (provenance && including.length > withGaps.length) markPartlyRefused(provenance.progress);
  if (provenance && withGaps.length > 0)
    warn(
      provenance.progress,
      'included_in_part',
      `the searches of ${withGaps.map(({ type }) => type).join(', ')} did not return all Provenance`,
    );
  const withoutSearches = checkpoints.filter(({ search, progress }) => search.remaining.length === 0 && !progress.done);
  for (const { progress } of withoutSearches) finish(progress);
  return [...new Set([...withoutSearches, ...(provenance ? [provenance] : [])])];
}
