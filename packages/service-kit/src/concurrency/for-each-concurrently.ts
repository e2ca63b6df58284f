/**
 * Runs work for items in their order, with limited concurrency. After a failure no further item is started, and the
 * function waits for the running items, so that nothing continues in the background.
 * @param items iterated when an item is started, so that the iterable can end early
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
