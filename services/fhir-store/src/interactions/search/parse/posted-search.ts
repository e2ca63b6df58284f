import type { FhirRequest } from '../../../fhir-http/fhir-request';
import { FhirError } from '../../../fhir-http/fhir-error';

/**
 * The parameters of a posted search, from form and URL (https://hl7.org/fhir/R4/http.html#search).
 * @throws FhirError 415 when the body is not a form
 */
export async function postedParameters(request: FhirRequest): Promise<URLSearchParams> {
  const { contentType } = request;
  const text = await request.text();
  if (text !== '' && contentType !== undefined && contentType !== 'application/x-www-form-urlencoded')
    throw new FhirError(415, 'send the parameters of the search as application/x-www-form-urlencoded', 'not-supported');
  return new URLSearchParams([...request.query, ...new URLSearchParams(text)]);
}
