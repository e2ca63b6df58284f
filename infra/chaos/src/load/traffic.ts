/** Counts the requests of a load and the failed ones. Times are of `performance.now()`. */
export class Traffic {
  requests = 0;
  errors = 0;
  lastFailureAt = Number.NEGATIVE_INFINITY;
  readonly #lastSuccess = new Map<string, number>();
  readonly #causes = new Map<string, number>();

  /** @param operation such as `create` */
  succeeded(operation: string): void {
    this.requests++;
    this.#lastSuccess.set(operation, performance.now());
  }

  failed(operation: string, cause: string): void {
    this.requests++;
    this.errors++;
    this.lastFailureAt = performance.now();
    const key = `${operation}: ${cause}`;
    this.#causes.set(key, (this.#causes.get(key) ?? 0) + 1);
  }

  /** Whether each of the operations has succeeded since that time. */
  haveSucceeded(operations: readonly string[], since: number): boolean {
    return operations.every((operation) => (this.#lastSuccess.get(operation) ?? Number.NEGATIVE_INFINITY) > since);
  }

  /** The causes of failed requests, such as `create: 503 × 12`, the most frequent first. */
  causes(): string[] {
    return [...this.#causes].sort(([, one], [, other]) => other - one).map(([cause, count]) => `${cause} × ${count}`);
  }
}
