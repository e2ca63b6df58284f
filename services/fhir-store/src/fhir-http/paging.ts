import type { ZodType } from 'zod';
import { type BundleLink, pageUrl } from './bundle-writer';
import type { FhirRequest } from './fhir-request';
import { pageParameter } from './page-tokens';

/** The pages of a search, an operation or a history: the state of the page that is requested, and links to others. */
export class Paging<State> {
  /** The state in the paging link; undefined on the first page. */
  readonly state: State | undefined;
  readonly #token: string | null;

  /**
   * @param address the path below the release
   * @param query of the request
   * @throws FhirError 400 or 410 when the paging link is not valid
   */
  constructor(
    private readonly request: FhirRequest,
    private readonly address: string,
    schema: ZodType<State>,
    query = request.query,
  ) {
    this.#token = query.get(pageParameter);
    this.state =
      this.#token === null
        ? undefined
        : request.pages.open(this.#token, request.record.userId, `${request.release}/${address}`, schema);
  }

  /** @param applied the parameters that were applied */
  self(applied: string): BundleLink {
    const query = this.#token === null ? applied : `${pageParameter}=${this.#token}`;
    return { relation: 'self', url: pageUrl(this.request, this.address, query) };
  }

  /** The link to another page, if there is one. */
  linkTo(relation: 'previous' | 'next', state: State | undefined): BundleLink[] {
    if (state === undefined) return [];
    const { pages, record, release } = this.request;
    const token = pages.seal(state, record.userId, `${release}/${this.address}`);
    return [{ relation, url: pageUrl(this.request, this.address, `${pageParameter}=${token}`) }];
  }
}
