import { FhirError } from '../fhir-http/fhir-error';
import type { EntryResult } from './response-bundle';

/** Bytes of all answers of a Bundle. An answer to a search alone may have 16 MB. */
const maxBytes = 64_000_000;

/** Bounds what the answers to the entries of one Bundle hold in memory. */
export class ResponseSize {
  #bytes = 0;

  /** The result, or an error in its place when it does not fit beside the ones before. What a write has stored stays stored. */
  fits(result: EntryResult): EntryResult {
    if (result instanceof FhirError || result.body === undefined) return result;
    if (this.#bytes + result.body.length > maxBytes) {
      const message = `the answers to a Bundle may have ${maxBytes / 1_000_000} MB: ask for fewer resources, or send Prefer: return=minimal`;
      return result.location === undefined ? new FhirError(400, message, 'too-costly') : { ...result, body: undefined };
    }
    this.#bytes += result.body.length;
    return result;
  }
}
