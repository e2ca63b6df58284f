import {
  type ConnectionDetail,
  type ConnectionEntry,
  type FhirVersion,
  type HealthSystemEntry,
  type Position,
  connectionDetail,
  connectionList,
  done,
  healthSystemSearchResponse,
  isErrorCode,
  serviceError,
} from '@tributary/contracts';
import { z } from 'zod';
import type { OutboundRequest, PublicApi } from '@tributary/outbound';
import { HttpError, forEachConcurrently, unavailable } from '@tributary/service-kit';
import type { ArrivedCount } from '../screens/screens';

export interface ApiUrls {
  /** {base_url} and {search_url}, as this service reaches them. */
  base: PublicApi;
  search: PublicApi;
}

/** On whose behalf the APIs are called. */
export interface UserCall {
  accessToken: string;
  requestId: string;
}

export interface SearchResult {
  total: number;
  offset: number;
  limit: number;
  entry: HealthSystemEntry[];
}

const concurrentReads = 4;
const maxDetails = 30;
const limits = { totalMs: 15_000, maxBytes: 10_000_000 };
/** The screen is shown without the counts rather than late. */
const countLimits = { ...limits, totalMs: 5000 };

/** The Parameters resource of `$counts`. */
const countParameters = z.object({
  parameter: z
    .array(
      z.object({
        part: z.array(
          z.object({ name: z.string(), valueCode: z.string().optional(), valueInteger: z.int().optional() }),
        ),
      }),
    )
    .default([]),
});

/**
 * The public APIs with the token of the user: the pages show and change nothing that the user could not.
 * @throws HttpError from every method: as the API has answered, or 503
 */
export class PublicApis {
  constructor(
    private readonly urls: ApiUrls,
    private readonly user: UserCall,
  ) {}

  /** Without words, those that can be connected: all that are known are too many to choose from. */
  search(query: string, offset: number, near?: Position): Promise<SearchResult> {
    const body = JSON.stringify({ query, offset, connectable: query.trim() === '', near });
    return this.#call(this.urls.search, { method: 'POST', path: '/api/search', body }, healthSystemSearchResponse);
  }

  /** The connections, oldest first. */
  async connections(): Promise<ConnectionEntry[]> {
    const path = '/connect/v1/connections';
    return (await this.#call(this.urls.base, { method: 'GET', path }, connectionList)).entry;
  }

  /** The connections, oldest first, and of the latest ones the progress of each resource type. */
  async connectionDetails(): Promise<ConnectionDetail[]> {
    const connections = await this.connections();
    const details = connections.map((connection): ConnectionDetail => {
      return { ...connection, success: true, types: [], results: [] };
    });
    const latest = [...details.entries()].slice(-maxDetails);
    await forEachConcurrently(latest, concurrentReads, async ([index, { connection_id: id }]) => {
      const path = `/connect/v1/connections/${id}`;
      details[index] = await this.#call(this.urls.base, { method: 'GET', path }, connectionDetail);
    });
    return details;
  }

  /** The resources of a release by type and year of care, without those that a newer release has of the same place. */
  async counts(release: FhirVersion): Promise<ArrivedCount[]> {
    const request = { method: 'GET', path: `/${release}/$counts?_releasePerSource=newest` } as const;
    const { parameter } = await this.#call(this.urls.base, request, countParameters, countLimits);
    return parameter.map(({ part }) => {
      const partOf = (name: string): (typeof part)[number] | undefined => part.find((each) => each.name === name);
      const year = partOf('year')?.valueInteger;
      return {
        type: partOf('type')?.valueCode ?? '',
        ...(year === undefined ? {} : { year }),
        count: partOf('value')?.valueInteger ?? 0,
      };
    });
  }

  async revokeConnection(id: string): Promise<void> {
    await this.#call(this.urls.base, { method: 'DELETE', path: `/connect/v1/connections/${id}` }, done);
  }

  async #call<T>(
    api: PublicApi,
    { path, ...request }: Pick<OutboundRequest, 'method' | 'body'> & { path: string },
    schema: z.ZodType<T>,
    within: Pick<OutboundRequest, 'totalMs' | 'maxBytes'> = limits,
  ): Promise<T> {
    const { accessToken, requestId } = this.user;
    const response = await api.http
      .request({
        ...request,
        ...within,
        url: api.url + path,
        headers: {
          Authorization: `Bearer ${accessToken}`,
          'X-Request-Id': requestId,
          Accept: 'application/json',
          ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
      })
      .catch(() => {
        throw unavailable('a part of the service is not available; try again shortly');
      });
    const body = parseJson(response.text);
    const result = schema.safeParse(body);
    if (response.status === 200 && result.success) return result.data;
    const { error, error_code: code = '' } = serviceError.safeParse(body).data ?? {};
    if (error !== undefined && isErrorCode(code) && response.status < 500)
      throw new HttpError(code, error, retryAfterOf(response.headers['retry-after']));
    throw unavailable('a part of the service is not available; try again shortly');
  }
}

function retryAfterOf(seconds: string | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'Retry-After': seconds };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
