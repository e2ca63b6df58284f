/** One media type with the parameters that matter here, of an Accept header or of `_format`. */
export interface MediaRange {
  /** In lower case. */
  readonly type: string;
  /** How much it is wanted, from 0 (not at all) to 1. */
  readonly quality: number;
  /** The parameter fhirVersion, as it was written. */
  readonly fhirVersion: string | undefined;
}

/** The media types of an Accept header, in its order. */
export function mediaRanges(accept: string): MediaRange[] {
  return accept.split(',').map(mediaRange);
}

/** Takes `application/fhir+json; fhirVersion=4.0` apart. */
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
