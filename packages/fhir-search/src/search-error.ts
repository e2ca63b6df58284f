/** A search that is refused. */
export class SearchError extends Error {
  override readonly name = 'SearchError';

  constructor(
    /** The search parameter as it was written, with its modifier. */
    readonly parameter: string,
    /**
     * `invalid`: the value is invalid; `not-supported`: the parameter or its modifier is unknown; `too-costly`: the
     * search exceeds a limit of `searchLimits`.
     */
    readonly code: 'invalid' | 'not-supported' | 'too-costly',
    message: string,
  ) {
    super(message);
  }
}
