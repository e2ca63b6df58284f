/** How long a health system is borne with. */
export interface Patience {
  /** How often a request is made that the server puts off (429, 503). */
  throttledAttempts: number;
  /** How often a request is made that fails, or whose answer cannot be read. */
  failedAttempts: number;
  /** The first pause between two attempts when the server names none; the next ones grow. */
  firstPauseMs: number;
  /** The longest pause that a server can ask for; what asks for more is tried again after this. */
  longestPauseMs: number;
}

export const ordinaryPatience: Patience = {
  throttledAttempts: 8,
  failedAttempts: 4,
  firstPauseMs: 500,
  longestPauseMs: 120_000,
};

const longestOwnPauseMs = 30_000;

/** Growing pause with jitter for the `attempt`-th retry (from 1), in ms. */
export function backoffMs(attempt: number, firstMs: number): number {
  return Math.min(firstMs * 2 ** (attempt - 1), longestOwnPauseMs) * (0.5 + Math.random());
}
