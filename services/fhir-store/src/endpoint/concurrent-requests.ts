import type { ServerResponse } from 'node:http';
import { FhirError } from '../fhir-http/fhir-error';

/** The requests of each user that are in progress in this process. */
export class ConcurrentRequests {
  readonly #counts = new Map<number, number>();

  /** @param max of one user */
  constructor(private readonly max: number) {}

  /**
   * Counts a request until its response is closed.
   * @throws FhirError 429 when the user has too many requests in progress
   */
  begin(serviceUserId: number, response: ServerResponse): void {
    // If the client has disconnected, 'close' never fires again, so do not count the request.
    if (response.destroyed) return;
    const count = this.#counts.get(serviceUserId) ?? 0;
    if (count >= this.max)
      throw new FhirError(
        429,
        `too many requests of the user are in progress: ${this.max} are allowed at once`,
        'throttled',
        { 'Retry-After': '1' },
      );
    this.#counts.set(serviceUserId, count + 1);
    response.once('close', () => {
      const left = (this.#counts.get(serviceUserId) ?? 1) - 1;
      if (left > 0) this.#counts.set(serviceUserId, left);
      else this.#counts.delete(serviceUserId);
    });
  }
}
