import type { FhirVersion } from '../api-types.ts';
import type { OperationOutcome } from '../http/errors.ts';
import type { FhirBundle, FhirBundleEntry, Stored } from './fhir-types.ts';

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

  /** All that iterating yields. @throws RangeError when there are more than `limit` */
  async toArray({ limit = 100_000 }: { limit?: number } = {}): Promise<Stored<Found>[]> {
    const all: Stored<Found>[] = [];
    for await (const found of this) {
      if (all.length === limit) throw new RangeError(`there are more than ${limit} resources`);
      all.push(found);
    }
    return all;
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
