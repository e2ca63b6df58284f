import type { FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';
import { recognizeResource } from '@tributary/fhir-validation';
import { runBatch } from './batch';
import { readEntries } from './bundle-entry';
import { responseBundle } from './response-bundle';
import { runTransaction } from './transaction';

/**
 * `POST /{release}`: a batch or a transaction (https://hl7.org/fhir/R4/http.html#transaction).
 * @throws FhirError 400 when the body is not a Bundle of either type; in a transaction also the error of the entry that
 * fails
 */
export async function postBundle(request: FhirRequest): Promise<FhirResponse> {
  const { resource: bundle, issue } = recognizeResource(request.release, await request.body());
  if (issue) throw new FhirError(400, [issue]);
  const { resourceType, type } = bundle;
  if (resourceType !== 'Bundle') throw badRequest('a Bundle is expected at this address');
  const entries = readEntries(request.release, request.base, bundle);
  switch (type) {
    case 'batch':
      return {
        status: 200,
        body: responseBundle(request.release, 'batch-response', await runBatch(request, entries)),
      };
    case 'transaction':
      return {
        status: 200,
        body: responseBundle(request.release, 'transaction-response', await runTransaction(request, entries)),
      };
    default:
      throw badRequest('Bundle.type must be batch or transaction', 'value');
  }
}
