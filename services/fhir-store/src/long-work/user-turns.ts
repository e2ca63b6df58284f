import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex';
import { FhirError } from '../fhir-http/fhir-error';

/** How long a user waits for a turn, in milliseconds: less than Node waits for a body. */
const maxWaitMs = 60_000;

/** Lets each user do a few pieces of work at a time; further ones wait for their turn. */
export class UserTurns {
  readonly #byUser = new Map<number, { readonly semaphore: SemaphoreInterface; work: number }>();

  /** @param max of one user at a time */
  constructor(private readonly max: number) {}

  /** @throws FhirError 429 when the turn does not come in time */
  async run<T>(serviceUserId: number, work: () => Promise<T>): Promise<T> {
    const turns = this.#byUser.get(serviceUserId) ?? { semaphore: this.#semaphore(), work: 0 };
    this.#byUser.set(serviceUserId, turns);
    turns.work++;
    try {
      return await turns.semaphore.runExclusive(work);
    } finally {
      if (--turns.work === 0) this.#byUser.delete(serviceUserId);
    }
  }

  #semaphore(): SemaphoreInterface {
    const reason = `too many requests of the user take long: ${this.max} are carried out at once`;
    return withTimeout(
      new Semaphore(this.max),
      maxWaitMs,
      new FhirError(429, reason, 'throttled', { 'Retry-After': '10' }),
    );
  }
}
