import type { FhirVersion } from '../api-types.ts';
import { type OperationOutcome, TributaryError } from '../http/errors.ts';
import type { FhirBundle, FhirBundleEntry, Stored } from './fhir-types.ts';

/** How many resources `toArray` collects when the caller has not said how many. */
const maxWithoutLimit = 100_000;

/**
 * The results of a search, which is carried out when they are iterated, page by page. Iterating them yields the
 * matches, and after those of each page the resources that `_include` and `_revinclude` bring. A link to a next page
 * expires after some time; the service then responds with 410, and the search must be repeated.
 */
export class SearchResults<Release extends FhirVersion, Found> implements AsyncIterable<Stored<Found>> {
  readonly #readPage: (link: string | undefined) => Promise<FhirBundle<Release>>;

  /** @param readPage reads the first page, or the page of a link */
  constructor(readPage: (link: string | undefined) => Promise<FhirBundle<Release>>) {
    this.#readPage = readPage;
  }

  /** The Bundles. The first one has `total`. */
  async *pages(): AsyncGenerator<FhirBundle<Release>, void, undefined> {
    for (let link: string | undefined; ;) {
      const page = await this.#readPage(link);
      yield page;
      link = page.link?.find(({ relation }) => relation === 'next')?.url;
      if (link === undefined) return;
    }
  }

  /** All entries: matches, resources of `_include` and `_revinclude`, and OperationOutcomes. */
  async *entries(): AsyncGenerator<FhirBundleEntry<Release>, void, undefined> {
    for await (const page of this.pages()) yield* (page.entry ?? []) as FhirBundleEntry<Release>[];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Stored<Found>, void, undefined> {
    for await (const { resource, search } of this.entries())
      if (resource && search?.mode !== 'outcome') yield resource as unknown as Stored<Found>;
  }

  /** The first match. */
  async first(): Promise<Stored<Found> | undefined> {
    for await (const found of this) return found;
    return undefined;
  }

  /**
   * What iterating yields, as an array.
   * @param options.limit the most that are returned; later pages are not read. `Infinity` returns all of them.
   * @throws TributaryError without `limit`, when there are more than 100,000: they may not fit into memory
   */
  async toArray({ limit }: { limit?: number | undefined } = {}): Promise<Stored<Found>[]> {
    if (limit !== undefined && !(limit >= 0)) throw new RangeError('limit must be at least 0');
    const found: Stored<Found>[] = [];
    if (limit !== undefined && limit < 1) return found;
    for await (const resource of this) {
      if (limit === undefined && found.length === maxWithoutLimit)
        throw new TributaryError(
          `there are more than ${maxWithoutLimit} resources: iterate the results, or give toArray a limit`,
        );
      found.push(resource);
      if (limit !== undefined && found.length > limit - 1) break;
    }
    return found;
  }

  /** The number of matches, and the OperationOutcomes of the first page. */
  async summary(): Promise<{ total: number | undefined; outcomes: OperationOutcome[] }> {
    for await (const { total, entry = [] } of this.pages())
      return {
        total,
        outcomes: entry.flatMap(({ resource }) =>
          resource?.resourceType === 'OperationOutcome' ? [resource as OperationOutcome] : [],
        ),
      };
    return { total: undefined, outcomes: [] };
  }
}
