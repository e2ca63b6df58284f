import type { JourneyError } from './connect-session';

/** An authorization came to nothing. `message` is for the log. */
export class LegFailed extends Error {
  constructor(
    readonly error: JourneyError,
    message: string,
    /** What may help: asking type by type, or for another release. */
    readonly remedy?: 'scopes by type' | 'another release',
  ) {
    super(message);
    this.name = 'LegFailed';
  }
}
