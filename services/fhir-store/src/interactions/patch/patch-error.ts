/** The error of a patch that cannot be parsed or applied. The message names the operation and contains no values. */
export class PatchError extends Error {
  override readonly name = 'PatchError';

  constructor(
    /**
     * malformed: the patch is invalid; conflict: the patch does not fit the resource; too-costly: the patch exceeds a
     * limit of `PatchBudget`.
     */
    readonly reason: 'malformed' | 'conflict' | 'too-costly',
    message: string,
  ) {
    super(message);
  }
}
