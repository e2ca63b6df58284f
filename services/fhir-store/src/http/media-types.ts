import type { Release } from '@tributary/fhir-definitions';
import { FhirError } from './fhir-error';

const native: Record<Release, string> = { dstu2: 'application/json+fhir', stu3: 'application/fhir+json', r4: 'application/fhir+json' };
const json = new Set(['application/fhir+json', 'application/json+fhir', 'application/json', 'text/json']);
const formats = new Set([...json, 'json']);
const remembered = 200;
const negotiated = new Map<string, string | undefined>();

/**
 * The content type of the answer.
 * @throws FhirError 406 when the caller takes no JSON
 */
export function answerType(release: Release, accept: string | undefined, format: string | null): string {
  if (format !== null) {
    if (!formats.has(mediaType(format.replace(' ', '+')))) throw notAcceptable();
    return withCharset(native[release]);
  }
  if (accept === undefined) return withCharset(native[release]);
  const key = `${release} ${accept}`;
  let type = negotiated.get(key);
  if (type === undefined && !negotiated.has(key)) {
    type = choose(release, accept);
    if (negotiated.size >= remembered) negotiated.clear();
    negotiated.set(key, type);
  }
  if (type === undefined) throw notAcceptable();
  return type;
}

function choose(release: Release, accept: string): string | undefined {
  const wanted = accept.split(',').filter((range) => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range)).map(mediaType);
  const takesNative = wanted.some((type) => type === '*/*' || type === 'application/*' || type === 'application/fhir+json' || type === 'application/json+fhir');
  if (takesNative) return withCharset(native[release]);
  return wanted.some((type) => json.has(type)) ? withCharset('application/json') : undefined;
}

/** Whether a body of this media type is a resource in JSON; no type at all is taken for one. */
export function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || json.has(contentType);
}

/** A media type in lower case, without its parameters. */
export function mediaType(header: string): string {
  const end = header.indexOf(';');
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}

function withCharset(type: string): string {
  return `${type}; charset=utf-8`;
}

function notAcceptable(): FhirError {
  return new FhirError(406, 'this service speaks FHIR in JSON only', 'not-supported');
}
