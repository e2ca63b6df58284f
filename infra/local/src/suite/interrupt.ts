/** One Ctrl-C sends SIGINT twice: the terminal signals this process and npm, and npm forwards the signal. */
const sameInterruptMs = 1000;

export interface Interrupt {
  /** Resolves at the first SIGINT, SIGTERM or SIGHUP (a terminal that is closed). */
  signal: Promise<void>;
  already(): boolean;
}

/** Waits for a signal to stop. A later second SIGINT ends this process and its children at once. */
export function awaitInterrupt(): Interrupt {
  let first: number | undefined;
  const signal = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        const now = performance.now();
        first ??= now;
        if (name === 'SIGINT' && now - first > sameInterruptMs) process.exit(130);
        resolve();
      });
    }
  });
  return { signal, already: () => first !== undefined };
}
