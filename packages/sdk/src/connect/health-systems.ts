import type { HealthSystemEntry, HealthSystemSearchResponse } from '../api-types.ts';
import type { CallOptions, Http } from '../http/http.ts';

export interface HealthSystemQuery {
  /** Free text in name, alias and address; without it, all by name. */
  query?: string;
  /** Only health systems that a user can connect to at present. */
  connectable?: boolean;
  /** Where the user is, in degrees: results have `distance_km`, and the nearer of equally good ones comes first. */
  near?: { latitude: number; longitude: number };
}

/** The directory of health systems. */
export class HealthSystems {
  readonly #http: Http;
  readonly #url: string;

  constructor(http: Http, searchUrl: string) {
    this.#http = http;
    this.#url = `${searchUrl}/api/search`;
  }

  /** One page of 20, the best matches first. */
  page(
    parameters: HealthSystemQuery & { offset?: number } = {},
    options?: CallOptions,
  ): Promise<HealthSystemSearchResponse> {
    return this.#http.json(
      {
        method: 'POST',
        url: this.#url,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(parameters),
        isIdempotent: true,
      },
      options,
    );
  }

  /** All matches, the best ones first. Pages are requested as they are needed. */
  async *search(
    query: HealthSystemQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<HealthSystemEntry, void, undefined> {
    for (let offset = 0; ;) {
      const { entry, total } = await this.page({ ...query, offset }, options);
      yield* entry;
      offset += entry.length;
      if (entry.length === 0 || offset >= total) return;
    }
  }
}
