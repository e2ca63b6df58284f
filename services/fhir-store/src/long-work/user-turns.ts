import { Semaphore } from 'async-mutex';

/** Lets each user do a few pieces of work at a time; further ones wait for their turn. */
export class UserTurns {
  readonly #byUser = new Map<number, { readonly semaphore: Semaphore; work: number }>();

  /** @param max of one user at a time */
  constructor(private readonly max: number) {}

  async run<T>(serviceUserId: number, work: () => Promise<T>): Promise<T> {
    const turns = this.#byUser.get(serviceUserId) ?? { semaphore: new Semaphore(this.max), work: 0 };
    this.#byUser.set(serviceUserId, turns);
    turns.work++;
    try {
      return await turns.semaphore.runExclusive(work);
    } finally {
      if (--turns.work === 0) this.#byUser.delete(serviceUserId);
    }
  }
}
