/**
 * One media type of an Accept header (RFC 9110, section 12.5.1), of Content-Type or of `_format`. The parser is written
 * by hand because `negotiator` drops the parameter fhirVersion.
 */
export interface MediaRange {
  /** In lower case. */
  readonly type: string;
  /** The weight q, from 0 (not acceptable) to 1. */
  readonly quality: number;
  /** The parameter fhirVersion, as the client wrote it. */
  readonly fhirVersion: string | undefined;
  /** Names in lower case and values of all parameters, in the order of the text. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** The media types of an Accept header, in its order. */
export function mediaRanges(accept: string): MediaRange[] {
  return split(accept, ',').map(mediaRange);
}

/** Parses `application/fhir+json; fhirVersion=4.0`. */
export function mediaRange(text: string): MediaRange {
  const [type = '', ...rest] = split(text, ';');
  const parameters = rest.map(readParameter);
  const values = new Map(parameters);
  const quality = Number(values.get('q') ?? 1);
  return {
    type: type.trim().toLowerCase(),
    quality: Number.isNaN(quality) ? 1 : quality,
    fhirVersion: values.get('fhirversion'),
    parameters,
  };
}

/** A media type from a query, where an unencoded plus sign in the type is decoded as a space. */
export function withPlus(mediaType: string): string {
  return mediaType.trim().replace(/^([^\s;]+) (?=[^\s;])/, '$1+');
}

function readParameter(text: string): [string, string] {
  const equals = text.indexOf('=');
  const [name, value] = equals < 0 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)];
  return [name.trim().toLowerCase(), unquoted(value.trim())];
}

/** The content of a quoted string (RFC 9110, section 5.6.4); other texts are returned as they are. */
function unquoted(text: string): string {
  const [, content] = /^"(.*)"$/s.exec(text) ?? [];
  return content === undefined ? text : content.replace(/\\(.)/gs, '$1');
}

/**
 * The parts of a text between the separators that are outside of quoted strings. It reads each character once, while a
 * regular expression with a lookahead for an even number of quotes takes quadratic time.
 */
function split(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && character === '\\') at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
