import { badRequest } from '@tributary/service-kit';

const ndjson = new Set(['application/fhir+ndjson', 'application/ndjson', 'ndjson']);
const fhirVersionParameter = /^fhirversion\s*=\s*("?)4\.0(?:\.1)?\1$/i;

/**
 * Whether `_outputFormat` asks for R4, as in `application/fhir+ndjson;fhirVersion=4.0`; without fhirVersion each resource comes as it is.
 * @throws HttpError 400 for other formats and releases, and for several that differ
 */
export function asksForR4(values: readonly string[]): true | undefined {
  const asked = new Set(values.map(isInR4));
  if (asked.size > 1) throw badRequest('_outputFormat: must be one format');
  return asked.has(true) || undefined;
}

function isInR4(value: string): boolean {
  const [format = '', ...parameters] = value.split(';').map((part) => part.trim());
  // A plus sign that nobody encoded comes as a blank.
  if (!ndjson.has(format.replace(' ', '+').toLowerCase()))
    throw badRequest('_outputFormat: must be application/fhir+ndjson, application/ndjson or ndjson');
  if (parameters.length > 1 || !parameters.every((parameter) => fhirVersionParameter.test(parameter)))
    throw badRequest('_outputFormat: of parameters there may be fhirVersion=4.0');
  return parameters.length > 0;
}
