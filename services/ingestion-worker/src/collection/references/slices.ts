export function slicesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_x, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Waits for all, so that nothing continues in the background when one of them throws. @throws the first rejection */
export function settled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  return Promise.all(work).finally(() => Promise.allSettled(work));
}
