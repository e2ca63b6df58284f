import { type ResourceKey, relativeReference } from '@tributary/record-storage';
import { type FhirRequest, isConvertedToR4 } from './fhir-request';

export interface BundleLink {
  readonly relation: 'self' | 'previous' | 'next';
  readonly url: string;
}

/** Writes the JSON of a Bundle. Stored JSON of resources is copied, and neither parsed nor serialized again. */
export class BundleWriter {
  readonly #parts: (Buffer | string)[] = [];
  #bytes = 0;
  #entries = 0;
  /** The numbers of resources by their types. */
  readonly counts = new Map<string, number>();

  constructor(type: string, links: readonly BundleLink[], total?: number) {
    const link = links.length > 0 ? `,"link":${JSON.stringify(links)}` : '';
    this.#add(`{"resourceType":"Bundle","type":"${type}"${total === undefined ? '' : `,"total":${total}`}${link}`);
  }

  /** Adds a resource; `after`: the further members of the entry, as JSON. */
  resource(fullUrl: string, json: Buffer | string, after: string): void {
    const type = typeOfUrl(fullUrl);
    this.counts.set(type, (this.counts.get(type) ?? 0) + 1);
    this.#add(`${this.#separator()}{"fullUrl":"${fullUrl}","resource":`);
    this.#add(json);
    this.#add(`,${after}}`);
  }

  /** Adds an entry without fullUrl. */
  entry(members: string): void {
    this.#add(`${this.#separator()}{${members}}`);
  }

  end(): Buffer {
    this.#add(this.#entries > 0 ? ']}' : '}');
    const bundle = Buffer.allocUnsafe(this.#bytes);
    let at = 0;
    for (const part of this.#parts) at += typeof part === 'string' ? bundle.write(part, at) : part.copy(bundle, at);
    return bundle;
  }

  #separator(): string {
    return this.#entries++ === 0 ? ',"entry":[' : ',';
  }

  #add(part: Buffer | string): void {
    this.#parts.push(part);
    this.#bytes += Buffer.byteLength(part);
  }
}

/** The type in the URL of a resource, `…/Type/id`. */
function typeOfUrl(url: string): string {
  const end = url.lastIndexOf('/');
  return url.slice(url.lastIndexOf('/', end - 1) + 1, end);
}

/** The URL of a page. A `_format` that requests another release than that of the URL is kept. */
export function pageUrl(request: FhirRequest, address: string, query: string): string {
  const format = isConvertedToR4(request) ? request.query.get('_format') : null;
  const whole =
    format === null
      ? query
      : [...(query === '' ? [] : [query]), new URLSearchParams({ _format: format }).toString()].join('&');
  return `${request.base}${address === '' ? '' : `/${address}`}${whole === '' ? '' : `?${whole}`}`;
}

/** The URL of a resource. */
export function fullUrl(base: string, key: ResourceKey): string {
  return `${base}/${relativeReference(key)}`;
}
