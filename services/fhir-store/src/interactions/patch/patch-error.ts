/** A patch that cannot be read or applied. The message names the operation, never a value. */
export class PatchError extends Error {
  override readonly name = 'PatchError';

  constructor(
    /** malformed: the patch itself is wrong; conflict: it does not fit the resource; too-costly: it exceeds a limit of `PatchBudget`. */
    readonly reason: 'malformed' | 'conflict' | 'too-costly',
    message: string,
  ) {
    super(message);
  }
}
