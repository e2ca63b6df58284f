import type { RecordReader } from '@tributary/record-storage';
import type { Call } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';
import type { Route } from '../routing/routes';
import type { BundleEntry } from './bundle-entry';

/** How a method on an address is found; handed in, since the routes know of batches too. */
export type RouteFinder = (method: string, segments: readonly string[]) => Route;

/** An entry as the call that it stands for. */
export function callOfEntry<Record extends RecordReader>(
  call: Call<Record>,
  { query, headers, resource, place }: BundleEntry,
): Call<Record> {
  const { prefer } = call.headers;
  return {
    ...call,
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
