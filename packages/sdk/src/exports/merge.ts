/** Runs up to `concurrency` generators at a time, and yields their values as they come. */
export async function* merge<T>(
  sources: readonly (() => AsyncGenerator<T, void, undefined>)[],
  concurrency: number,
): AsyncGenerator<T, void, undefined> {
  type Step = { generator: AsyncGenerator<T, void, undefined>; result: IteratorResult<T, void> };
  const running = new Map<AsyncGenerator<T, void, undefined>, Promise<Step>>();
  const advance = (generator: AsyncGenerator<T, void, undefined>): void => {
    const step = generator.next().then((result) => ({ generator, result }));
    // The rejection is thrown by the race; this only prevents a report of it when another one is thrown first.
    step.catch(() => undefined);
    running.set(generator, step);
  };
  const waiting = [...sources];
  try {
    for (;;) {
      while (running.size < concurrency && waiting.length > 0) advance(waiting.shift()!());
      if (running.size === 0) return;
      const { generator, result } = await Promise.race(running.values());
      if (result.done) {
        running.delete(generator);
        continue;
      }
      advance(generator);
      yield result.value;
    }
  } finally {
    // A generator that awaits a piece ends only after it; the caller does not wait for that.
    for (const generator of running.keys()) generator.return().catch(() => undefined);
  }
}
