import type { RecordReader } from '@tributary/record-storage';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';
import type { BundleEntry } from './bundle-entry';

/** Converts an entry of a Bundle to a request. `Prefer` is that of the Bundle. */
export function requestOfEntry<Record extends RecordReader>(
  request: FhirRequest<Record>,
  { query, headers, resource, index }: BundleEntry,
): FhirRequest<Record> {
  const { prefer } = request.headers;
  const { native: _native, countEntries: _countEntries, ...shared } = request;
  return {
    ...shared,
    query,
    headers: { ...headers, ...(prefer === undefined ? {} : { prefer }) },
    contentType: 'application/fhir+json',
    fullContentType: 'application/fhir+json',
    body: () => {
      if (resource === undefined) throw badRequest(`Bundle.entry[${index}] has no resource`, 'required');
      return Promise.resolve(resource);
    },
    bytes: () => Promise.reject(new FhirError(415, 'this request is not allowed in a Bundle', 'not-supported')),
    text: () => Promise.reject(new FhirError(415, 'this request is not allowed in a Bundle', 'not-supported')),
  };
}
