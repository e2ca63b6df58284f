import type { ReadBudget } from '@tributary/record-storage';

/** So many bytes of stored content are unpacked in a few milliseconds: more than twenty blocks of 64 KB. */
export const shortReading = 1_500_000;
/** So many bytes of JSON are parsed, converted and serialized in a few milliseconds. */
export const shortParsing = 250_000;

/** The work of a request can take long. The request is carried out again in the thread of such requests. */
export class LongWorkError extends Error {
  override readonly name = 'LongWorkError';

  constructor() {
    super('the work can take long');
  }
}

/** How much a request may do in the main thread. */
export class ShortWork implements ReadBudget {
  /** @param bytesLeft of content */
  constructor(private bytesLeft: number) {}

  /** @throws LongWorkError */
  take(bytes: number): void {
    this.bytesLeft -= bytes;
    if (this.bytesLeft < 0) throw new LongWorkError();
  }
}
