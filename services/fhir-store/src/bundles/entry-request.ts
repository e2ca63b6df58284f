import type { RecordReader } from '@tributary/record-storage';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';
import type { Route } from '../routing/routes';
import type { BundleEntry } from './bundle-entry';

/** How a method on an address is found; handed in, since the routes know of batches too. */
export type RouteFinder = (method: string, segments: readonly string[]) => Route;

/** An entry as the request that it stands for. */
export function requestOfEntry<Record extends RecordReader>(
  request: FhirRequest<Record>,
  { query, headers, resource, place }: BundleEntry,
): FhirRequest<Record> {
  const { prefer } = request.headers;
  return {
    ...request,
    query,
    headers: { ...headers, ...(prefer === undefined ? {} : { prefer }) },
    contentType: 'application/fhir+json',
    body: () => {
      if (resource === undefined) throw badRequest(`Bundle.entry[${place}] has no resource`, 'required');
      return Promise.resolve(resource);
    },
    text: () => Promise.reject(new FhirError(415, 'this request cannot stand in a Bundle', 'not-supported')),
  };
}
