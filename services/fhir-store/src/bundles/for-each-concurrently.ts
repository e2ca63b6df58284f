/**
 * Runs work for items in their order, with limited concurrency. After a failure no further item is started, and the
 * function waits for the running items, so that nothing is written after the error response. This is written by hand
 * because `Promise.all` with a limiter rejects before running items end.
 * @throws the first failure, after all running items have ended
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = waiting.next();
      if (next.done) return;
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (failures.length > 0) throw failures[0];
}
