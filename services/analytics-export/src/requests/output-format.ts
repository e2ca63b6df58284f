import { fhirVersionOf } from '@tributary/fhir-definitions';
import { badRequest, mediaRange, withPlus } from '@tributary/service-kit';

const ndjson = new Set(['application/fhir+ndjson', 'application/ndjson', 'ndjson']);
/** The version of R4, and its major and minor version. */
const versionsOfR4 = new Set([fhirVersionOf.r4, fhirVersionOf.r4.replace(/\.\d+$/, '')]);

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
  const { type, parameters, fhirVersion = '' } = mediaRange(withPlus(value));
  if (!ndjson.has(type))
    throw badRequest('_outputFormat: must be application/fhir+ndjson, application/ndjson or ndjson');
  if (parameters.length === 0) return false;
  if (parameters.length > 1 || !versionsOfR4.has(fhirVersion))
    throw badRequest('_outputFormat: the only supported parameter is fhirVersion=4.0');
  return true;
}
