import { fhirJsonMediaType, fhirJsonMediaTypes } from '@tributary/contracts';
import { type Release, fhirVersionOf, releases } from '@tributary/fhir-definitions';
import { type MediaRange, mediaRange, mediaRanges, withPlus } from '@tributary/service-kit';
import { FhirError } from './fhir-error';

/** The representation of the resources in a response. */
export interface ResponseFormat {
  /** The value of Content-Type. */
  readonly contentType: string;
  /** The release of the resources: that of the URL, or r4 when they are converted. */
  readonly release: Release;
}

/** FHIR JSON in the release of the URL. Responses that are not negotiated have it, such as errors. */
export const nativeFormat: Record<Release, ResponseFormat> = {
  dstu2: nativeFormatOf('dstu2'),
  stu3: nativeFormatOf('stu3'),
  r4: nativeFormatOf('r4'),
};
const plainJson = new Set(['application/json', 'text/json']);
const json: ReadonlySet<string> = new Set([...fhirJsonMediaTypes, 'text/json']);
const formats = new Set([...json, 'json']);
const takesAnything = new Set(['*/*', 'application/*']);
/** Accept headers whose result is cached. */
const maxCached = 200;
const negotiated = new Map<string, ResponseFormat | undefined>();

/**
 * Negotiates the representation of a response by `_format` or Accept (https://hl7.org/fhir/R4/http.html#mime-type).
 * @returns FhirError 406 when the client accepts no JSON, or only releases that are not available; a Binary can be sent
 * in its own media type then
 */
export function negotiateFormat(
  release: Release,
  accept: string | undefined,
  format: string | null,
): ResponseFormat | FhirError {
  if (format !== null && format.trim() !== '') return parseFormat(release, format);
  if (accept === undefined || accept.trim() === '') return nativeFormat[release];
  const key = `${release} ${accept}`;
  let form = negotiated.get(key);
  if (form === undefined && !negotiated.has(key)) {
    form = choose(release, accept);
    if (negotiated.size >= maxCached) negotiated.clear();
    negotiated.set(key, form);
  }
  return form ?? notAcceptable(release, mediaRanges(accept));
}

/** What the client requests: `_format`, which overrides Accept. */
export function requestedFormat(accept: string | undefined, format: string | null): string | undefined {
  return format === null || format.trim() === '' ? accept : withPlus(format);
}

/** The media type parameter fhirVersion of a release: its major and minor version. */
export function fhirVersionParameter(release: Release): string {
  return `fhirVersion=${majorAndMinor(release)}`;
}

function parseFormat(release: Release, format: string): ResponseFormat | FhirError {
  const range = mediaRange(withPlus(format));
  const form = formats.has(range.type) ? formOf(release, fhirJsonMediaType[release], range.fhirVersion) : undefined;
  return form ?? notAcceptable(release, [range]);
}

function choose(release: Release, accept: string): ResponseFormat | undefined {
  const wanted = mediaRanges(accept).filter(({ quality }) => quality > 0);
  if (wanted.some(({ fhirVersion }) => fhirVersion !== undefined)) return chooseVersion(release, wanted);
  if (wanted.some(({ type }) => takesAnything.has(type) || (json.has(type) && !plainJson.has(type))))
    return nativeFormat[release];
  return wanted.some(({ type }) => plainJson.has(type))
    ? { contentType: withCharset('application/json'), release }
    : undefined;
}

/**
 * Selects the first available media type by weight. Among equal weights, media types with fhirVersion precede others.
 */
function chooseVersion(release: Release, wanted: readonly MediaRange[]): ResponseFormat | undefined {
  const inOrder = wanted.toSorted(
    (a, b) => b.quality - a.quality || Number(a.fhirVersion === undefined) - Number(b.fhirVersion === undefined),
  );
  for (const { type, fhirVersion } of inOrder) {
    if (!json.has(type) && !takesAnything.has(type)) continue;
    const form = formOf(release, plainJson.has(type) ? 'application/json' : fhirJsonMediaType[release], fhirVersion);
    if (form) return form;
  }
  return undefined;
}

/** The representation in the requested release: that of the URL, or r4, to which older releases are converted. */
function formOf(release: Release, type: string, fhirVersion: string | undefined): ResponseFormat | undefined {
  if (fhirVersion === undefined) return { contentType: withCharset(type), release };
  const requested = releases.find((each) => fhirVersion === majorAndMinor(each) || fhirVersion === fhirVersionOf[each]);
  if (requested !== release && requested !== 'r4') return undefined;
  const typeOfRelease = type === fhirJsonMediaType[release] ? fhirJsonMediaType[requested] : type;
  return { contentType: withCharset(`${typeOfRelease}; ${fhirVersionParameter(requested)}`), release: requested };
}

/**
 * Asserts that a media type with fhirVersion names the release of the URL. The same JSON can have another meaning in
 * another release.
 * @throws FhirError 415 when it names another release
 */
export function assertOwnRelease(release: Release, contentType: string | undefined): void {
  if (contentType === undefined || !contentType.includes(';')) return;
  const { fhirVersion } = mediaRange(contentType);
  if (fhirVersion === undefined || fhirVersion === majorAndMinor(release) || fhirVersion === fhirVersionOf[release])
    return;
  throw new FhirError(
    415,
    `resources are accepted in the release of the address only, ${fhirVersionParameter(release)}`,
    'not-supported',
  );
}

/** Whether a body of this media type is JSON. A missing media type counts as JSON. */
export function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || json.has(contentType);
}

/** A media type in lower case, without its parameters. */
export function mediaType(header: string): string {
  const end = header.indexOf(';');
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}

function nativeFormatOf(release: Release): ResponseFormat {
  return { contentType: withCharset(fhirJsonMediaType[release]), release };
}

function withCharset(type: string): string {
  return `${type}; charset=utf-8`;
}

function majorAndMinor(release: Release): string {
  return fhirVersionOf[release].split('.', 2).join('.');
}

function notAcceptable(release: Release, ranges: readonly MediaRange[]): FhirError {
  const requested = ranges.find(
    ({ type, fhirVersion }) => fhirVersion !== undefined && (formats.has(type) || takesAnything.has(type)),
  );
  if (!requested) return new FhirError(406, 'this service supports FHIR in JSON only', 'not-supported');
  const version = /^\d{1,2}(?:\.\d{1,2}){0,2}$/.test(requested.fhirVersion ?? '')
    ? `fhirVersion=${requested.fhirVersion}`
    : 'the requested fhirVersion';
  const available = [...new Set<Release>([release, 'r4'])].map(fhirVersionParameter).join(' and ');
  return new FhirError(406, `${version} is not available at this address; available: ${available}`, 'not-supported');
}
