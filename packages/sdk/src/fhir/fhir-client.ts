import type { FhirVersion } from '../api-types.ts';
import { ownLink } from '../addresses.ts';
import type { CallOptions, Http, HttpRequest } from '../http/http.ts';
import { readBinary } from './binary.ts';
import type { FhirBundle, FhirResource, PatchOperation, ResourceOfType, ResourceType, Stored } from './fhir-types.ts';
import { type Includes, type SearchParameters, searchQuery } from './search-parameters.ts';
import { SearchResults } from './search-results.ts';

export interface SearchOptions extends CallOptions {
  /**
   * `strict`, the default: a parameter that the service does not support is an error. `lenient`: it is ignored, and an
   * OperationOutcome among the entries names it.
   */
  handling?: 'strict' | 'lenient';
}

export interface FhirClientOptions {
  /** Reads resources of DSTU2 and STU3 as R4. What cannot be converted is named in OperationOutcomes, or is a 406. */
  as?: 'r4';
}

/** The number of resources of a type in a year of care. */
export interface ResourceCount {
  type: string;
  /** When the care began, in UTC; absent for resources without a date. */
  year?: number;
  count: number;
}

/** The Parameters resource of `$counts`. */
interface Counts {
  parameter?: { part: { name: string; valueCode?: string; valueInteger?: number }[] }[];
}

/** Longer queries are sent in a body. */
const maxQueryLength = 2000;

/** The record of a user in one FHIR release, which selects the types of the resources. */
export class FhirClient<Release extends FhirVersion> {
  readonly #http: Http;
  readonly #base: string;
  readonly #mediaType: string;
  readonly #accept: string;

  constructor(http: Http, baseUrl: string, release: FhirVersion, { as }: FhirClientOptions = {}) {
    this.#http = http;
    this.#base = `${baseUrl}/${release}`;
    this.#mediaType = release === 'dstu2' ? 'application/json+fhir' : 'application/fhir+json';
    this.#accept = as ? 'application/fhir+json; fhirVersion=4.0' : this.#mediaType;
  }

  /** @throws ApiError 404 when there is none, 410 when it was deleted */
  read<Type extends ResourceType<Release>>(
    type: Type,
    id: string,
    options?: CallOptions,
  ): Promise<Stored<ResourceOfType<Release, Type>>> {
    return this.#http.json(this.#request('GET', resourcePath(type, id)), options);
  }

  /** A version of a resource. */
  readVersion<Type extends ResourceType<Release>>(
    type: Type,
    id: string,
    versionId: string,
    options?: CallOptions,
  ): Promise<Stored<ResourceOfType<Release, Type>>> {
    const path = `${resourcePath(type, id)}/_history/${encodeURIComponent(versionId)}`;
    return this.#http.json(this.#request('GET', path), options);
  }

  /**
   * Searches a type: `search('Observation', { code: 'http://loinc.org|8302-2', _sort: '-date' })`. With `_include` or
   * `_revinclude` the results have resources of other types too: `resourceType` tells them apart.
   */
  search<Type extends ResourceType<Release>, Parameters extends SearchParameters = Record<never, never>>(
    type: Type,
    parameters?: Parameters,
    { handling = 'strict', ...options }: SearchOptions = {},
  ): SearchResults<Release, Includes<Parameters> extends true ? FhirResource<Release> : ResourceOfType<Release, Type>> {
    const query = searchQuery(parameters ?? {}).toString();
    const first =
      query.length > maxQueryLength
        ? this.#request('POST', `${type}/_search`, { 'Content-Type': 'application/x-www-form-urlencoded' }, query)
        : this.#request('GET', query === '' ? type : `${type}?${query}`);
    return this.#results(first, { Prefer: `handling=${handling}` }, options);
  }

  /**
   * A Patient with all resources of the compartment, and those to which they refer
   * (https://hl7.org/fhir/R4/patient-operation-everything.html).
   * @throws ApiError 404 when there is no such Patient
   */
  everything(
    patientId: string,
    parameters: { _type?: string; _since?: Date | string; start?: string; end?: string; _count?: number } = {},
    options: CallOptions = {},
  ): SearchResults<Release, FhirResource<Release>> {
    const query = searchQuery(parameters).toString();
    const path = `${resourcePath('Patient', patientId)}/$everything`;
    return this.#results(this.#request('GET', query === '' ? path : `${path}?${query}`), {}, options);
  }

  /**
   * The latest Observations of each code (https://hl7.org/fhir/R4/observation-operation-lastn.html).
   * @param parameters of a search of Observations, and `max`: how many of each code, 1 by default
   */
  lastn(
    parameters: SearchParameters & { max?: number } = {},
    options: CallOptions = {},
  ): SearchResults<Release, ResourceOfType<Release, 'Observation' & ResourceType<Release>>> {
    const query = searchQuery(parameters).toString();
    const first = this.#request('GET', query === '' ? 'Observation/$lastn' : `Observation/$lastn?${query}`);
    return this.#results(first, { Prefer: 'handling=strict' }, options);
  }

  /**
   * The numbers of resources of this release, by type and by year of care.
   * @param parameters `_releasePerSource: 'newest'` leaves out what a newer release of the same health system has
   */
  async counts(parameters: { _releasePerSource?: 'newest' } = {}, options?: CallOptions): Promise<ResourceCount[]> {
    const query = searchQuery(parameters).toString();
    const path = query === '' ? '$counts' : `$counts?${query}`;
    const counted: Counts = await this.#http.json(this.#request('GET', path, { Accept: this.#mediaType }), options);
    return (counted.parameter ?? []).map(({ part }) => {
      const partOf = (name: string) => part.find((each) => each.name === name);
      const year = partOf('year')?.valueInteger;
      return {
        type: partOf('type')?.valueCode ?? '',
        ...(year === undefined ? {} : { year }),
        count: partOf('value')?.valueInteger ?? 0,
      };
    });
  }

  /** The versions of a resource, the newest first. */
  history<Type extends ResourceType<Release>>(
    type: Type,
    id: string,
    options: CallOptions = {},
  ): SearchResults<Release, ResourceOfType<Release, Type>> {
    return this.#results(this.#request('GET', `${resourcePath(type, id)}/_history`), {}, options);
  }

  /**
   * Creates a resource; the service assigns its id.
   * @param ifNoneExist a query such as `identifier=http://example.org/ids|42`: when a resource matches, it is returned
   *   instead. Such a create is repeated when its response is lost.
   */
  create<Resource extends FhirResource<Release>>(
    resource: Resource,
    { ifNoneExist, ...options }: CallOptions & { ifNoneExist?: string } = {},
  ): Promise<Stored<Resource>> {
    const conditions: Record<string, string> = ifNoneExist === undefined ? {} : { 'If-None-Exist': ifNoneExist };
    return this.#http.json(
      {
        ...this.#write('POST', resource.resourceType, resource, { ...conditions, Prefer: 'return=representation' }),
        isIdempotent: ifNoneExist !== undefined,
      },
      options,
    );
  }

  /** Replaces a resource. @param ifMatch the `versionId` to replace; another one is refused with 412 */
  update<Resource extends FhirResource<Release> & { id: string }>(
    resource: Resource,
    { ifMatch, ...options }: CallOptions & { ifMatch?: string } = {},
  ): Promise<Stored<Resource>> {
    const path = resourcePath(resource.resourceType, resource.id);
    // A repetition of an update that was carried out would be refused with 412.
    const isIdempotent = ifMatch === undefined;
    const headers = { ...matching(ifMatch), Prefer: 'return=representation' };
    return this.#http.json({ ...this.#write('PUT', path, resource, headers), isIdempotent }, options);
  }

  /** Changes a resource by JSON Patch. @param ifMatch as for `update` */
  patch<Type extends ResourceType<Release>>(
    type: Type,
    id: string,
    operations: readonly PatchOperation[],
    { ifMatch, ...options }: CallOptions & { ifMatch?: string } = {},
  ): Promise<Stored<ResourceOfType<Release, Type>>> {
    const headers = {
      'Content-Type': 'application/json-patch+json',
      ...matching(ifMatch),
      Prefer: 'return=representation',
    };
    return this.#http.json(
      this.#request('PATCH', resourcePath(type, id), headers, JSON.stringify(operations)),
      options,
    );
  }

  async delete(type: ResourceType<Release>, id: string, options?: CallOptions): Promise<void> {
    await this.#http.send(this.#request('DELETE', resourcePath(type, id)), options);
  }

  /** Carries out a Bundle of the type `batch` or `transaction`, and returns the results in the order of its entries. */
  bundle(bundle: FhirBundle<Release>, options?: CallOptions): Promise<FhirBundle<Release>> {
    return this.#http.json(this.#write('POST', '', bundle), options);
  }

  /**
   * The content of a Binary, in its own media type, as a `Response`: read it by `blob()`, `text()` or `body`. Content
   * from a health system is not trustworthy: never insert HTML of it into a page.
   * @param reference `Binary/id`, as in `DocumentReference.content.attachment.url`, or an id
   */
  binary(reference: string, options?: CallOptions): Promise<Response> {
    const path = reference.includes('/') ? reference : `Binary/${encodeURIComponent(reference)}`;
    return readBinary(this.#http, ownLink(path, this.#base), options);
  }

  #results<Match>(
    first: HttpRequest,
    headers: Record<string, string>,
    options: CallOptions,
  ): SearchResults<Release, Match> {
    return new SearchResults((link) => {
      const request = link === undefined ? first : { ...first, method: 'GET' as const, url: ownLink(link, this.#base) };
      if (link !== undefined) delete request.body;
      return this.#http.json({ ...request, headers: { ...request.headers, ...headers }, isIdempotent: true }, options);
    });
  }

  #write(method: 'POST' | 'PUT', path: string, resource: object, headers: Record<string, string> = {}): HttpRequest {
    return this.#request(method, path, { 'Content-Type': this.#mediaType, ...headers }, JSON.stringify(resource));
  }

  #request(
    method: HttpRequest['method'],
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ): HttpRequest {
    return {
      method,
      url: path === '' ? this.#base : `${this.#base}/${path}`,
      headers: { Accept: this.#accept, ...headers },
      ...(body === undefined ? {} : { body }),
    };
  }
}

function resourcePath(type: string, id: string): string {
  if (id === '') throw new TypeError('the id of the resource is empty');
  return `${type}/${encodeURIComponent(id)}`;
}

function matching(versionId: string | undefined): Record<string, string> {
  return versionId === undefined ? {} : { 'If-Match': `W/"${versionId}"` };
}
