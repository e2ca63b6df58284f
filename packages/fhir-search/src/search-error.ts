/** A search that cannot be carried out as asked. */
export class SearchError extends Error {
  override readonly name = 'SearchError';

  constructor(
    /** The parameter as it was written, with its modifier. */
    readonly parameter: string,
    /** `invalid`: the value is no value of the parameter; `not-supported`: the parameter or its modifier is unknown; `too-costly`: the search exceeds a limit of `searchLimits`. */
    readonly code: 'invalid' | 'not-supported' | 'too-costly',
    message: string,
  ) {
    super(message);
  }
}
