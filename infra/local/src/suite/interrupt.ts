/** Of one Ctrl-C the terminal tells this process, and npm, which is told too, tells it once more. */
const sameInterruptMs = 1000;

export interface Interrupt {
  /** Resolves at the first SIGINT, SIGTERM or SIGHUP (a terminal that is closed). */
  signal: Promise<void>;
  already(): boolean;
}

/** Waits to be told to stop; another SIGINT, later, ends the process at once, and with it everything it started. */
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
