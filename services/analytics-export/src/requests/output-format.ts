import { badRequest } from '@tributary/service-kit';

const ndjson = new Set(['application/fhir+ndjson', 'application/ndjson', 'ndjson']);
const fhirVersionParameter = /^fhirversion\s*=\s*("?)4\.0(?:\.1)?\1$/i;

/**
 * Whether `_outputFormat` requests R4, as in `application/fhir+ndjson;fhirVersion=4.0`. Without fhirVersion resources
 * are exported in their own release. https://hl7.org/fhir/uv/bulkdata/export.html#query-parameters
 * @throws HttpError 400 for other formats and releases, and for values that differ
 */
export function isR4Requested(values: readonly string[]): true | undefined {
  const requested = new Set(values.map(isInR4));
  if (requested.size > 1) throw badRequest('_outputFormat: must be one format');
  return requested.has(true) || undefined;
}

function isInR4(value: string): boolean {
  const [format = '', ...parameters] = value.split(';').map((part) => part.trim());
  // A plus sign that was not percent-encoded is decoded as a space.
  if (!ndjson.has(format.replace(' ', '+').toLowerCase()))
    throw badRequest('_outputFormat: must be application/fhir+ndjson, application/ndjson or ndjson');
  if (parameters.length > 1 || !parameters.every((parameter) => fhirVersionParameter.test(parameter)))
    throw badRequest('_outputFormat: the only supported parameter is fhirVersion=4.0');
  return parameters.length > 0;
}
