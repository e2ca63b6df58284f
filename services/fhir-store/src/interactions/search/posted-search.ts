import type { FhirRequest } from '../../fhir-http/fhir-request';
import { FhirError } from '../../fhir-http/fhir-error';

/** The parameters of a posted search: those of the form and those of the URL. @throws FhirError 415 */
export async function postedParameters(request: FhirRequest): Promise<URLSearchParams> {
  const { contentType } = request;
  const text = await request.text();
  if (text !== '' && contentType !== undefined && contentType !== 'application/x-www-form-urlencoded')
    throw new FhirError(415, 'post a search as a form', 'not-supported');
  return new URLSearchParams([...request.query, ...new URLSearchParams(text)]);
}
