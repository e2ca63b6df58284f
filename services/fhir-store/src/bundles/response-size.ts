import { FhirError } from '../fhir-http/fhir-error';
import { wholeLength } from '@tributary/record-storage';
import type { EntryResult } from './response-bundle';

/** Limits the size of the responses of one Bundle. */
export class ResponseSize {
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /**
   * Returns the result, or an error when the limit is exceeded. The response of a completed write loses only its body;
   * an outcome is short.
   */
  fits(result: EntryResult): EntryResult {
    if (result instanceof FhirError || result.body === undefined || result.isOutcome) return result;
    const bytes = wholeLength(result.body);
    if (this.#bytes + bytes > this.maxBytes) {
      const message = `the responses in a Bundle may have at most ${this.maxBytes / 1_000_000} MB: request fewer resources, or send Prefer: return=minimal`;
      return result.location === undefined ? new FhirError(400, message, 'too-costly') : { ...result, body: undefined };
    }
    this.#bytes += bytes;
    return result;
  }
}
