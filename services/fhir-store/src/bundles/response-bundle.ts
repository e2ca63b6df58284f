import { STATUS_CODES } from 'node:http';
import type { Release } from '@tributary/fhir-definitions';
import { stringifyJson } from '@tributary/fhir-json';
import { etagOf } from '@tributary/service-kit';
import type { FhirResponse } from '../fhir-http/fhir-response';
import { FhirError, outcomeOf } from '../fhir-http/fhir-error';
import { BundleWriter } from '../fhir-http/bundle-writer';

/** The result of an entry: a response or an error. */
export type EntryResult = FhirResponse | FhirError;

/** The response Bundle of a batch or transaction (https://hl7.org/fhir/R4/http.html#transaction-response). */
export function responseBundle(
  release: Release,
  type: 'batch-response' | 'transaction-response',
  results: readonly EntryResult[],
): Buffer {
  const bundle = new BundleWriter(type, []);
  for (const result of results) {
    const { entryResponse, body } = partsOf(release, result);
    const response = `"response":${JSON.stringify(entryResponse)}`;
    if (body === undefined) bundle.entry(response);
    else bundle.entry(`"resource":${body.toString()},${response}`);
  }
  return bundle.end();
}

function partsOf(release: Release, result: EntryResult): { entryResponse: object; body: FhirResponse['body'] } {
  const status = `${result.status} ${STATUS_CODES[result.status] ?? ''}`.trim();
  if (result instanceof FhirError) {
    const outcome = outcomeOf(release, result.issues);
    // Bundle.entry.response has no outcome in dstu2.
    return release === 'dstu2'
      ? { entryResponse: { status }, body: stringifyJson(outcome) }
      : { entryResponse: { status, outcome }, body: undefined };
  }
  const { version, lastUpdated, location, body } = result;
  const outcome = result.isOutcome && release !== 'dstu2' ? body : undefined;
  return {
    entryResponse: {
      status,
      ...(location === undefined ? {} : { location }),
      ...(version === undefined ? {} : { etag: etagOf(version) }),
      ...(lastUpdated === undefined ? {} : { lastModified: new Date(lastUpdated).toISOString() }),
      ...(outcome === undefined ? {} : { outcome: JSON.parse(outcome.toString()) as object }),
    },
    body: outcome === undefined ? body : undefined,
  };
}
