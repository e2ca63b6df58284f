/**
 * One media type of an Accept header (RFC 9110, section 12.5.1), of Content-Type or of `_format`, with the parameters
 * that this service uses. The parser is written by hand because `negotiator` drops the parameter fhirVersion.
 */
export interface MediaRange {
  /** In lower case. */
  readonly type: string;
  /** The weight q, from 0 (not acceptable) to 1. */
  readonly quality: number;
  /** The parameter fhirVersion, as the client wrote it. */
  readonly fhirVersion: string | undefined;
}

/** The media types of an Accept header, in its order. */
export function mediaRanges(accept: string): MediaRange[] {
  return accept.split(',').map(mediaRange);
}

/** Parses `application/fhir+json; fhirVersion=4.0`. */
export function mediaRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';');
  const values = new Map(parameters.map((parameter) => readParameter(parameter)));
  const quality = Number(values.get('q') ?? 1);
  return {
    type: type.trim().toLowerCase(),
    quality: Number.isNaN(quality) ? 1 : quality,
    fhirVersion: values.get('fhirversion'),
  };
}

function readParameter(text: string): [string, string] {
  const equals = text.indexOf('=');
  const [name, value] = equals < 0 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)];
  return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1')];
}
