import type { Answer } from '../fhir-http/fhir-response';
import type { Call } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';
import { recognizeResource } from '@tributary/fhir-validation';
import { runBatch } from './batch';
import { readEntries } from './bundle-entry';
import type { RouteFinder } from './entry-request';
import { responseBundle } from './response-bundle';
import { runTransaction } from './transaction';

/** `POST /{release}`: a batch or a transaction. */
export async function postBundle(call: Call, routeFor: RouteFinder): Promise<Answer> {
  const { resource: bundle, issue } = recognizeResource(call.release, await call.body());
  if (issue) throw new FhirError(400, [issue]);
  const { resourceType, type } = bundle;
  if (resourceType !== 'Bundle') throw badRequest('a Bundle is expected at this address');
  const entries = readEntries(call.release, call.base, bundle);
  switch (type) {
    case 'batch':
      return {
        status: 200,
        body: responseBundle(call.release, 'batch-response', await runBatch(call, entries, routeFor)),
      };
    case 'transaction':
      return {
        status: 200,
        body: responseBundle(call.release, 'transaction-response', await runTransaction(call, entries, routeFor)),
      };
    default:
      throw badRequest('Bundle.type must be batch or transaction', 'value');
  }
}
