import type { Latencies } from './sequence';

/**
 * The percentile of the samples by the nearest-rank method.
 * @param sorted samples in ascending order
 * @param part from 0 to 1
 */
export function percentile(sorted: ArrayLike<number>, part: number): number {
  if (sorted.length === 0) return 0;
  const rank = Math.ceil(part * sorted.length);
  return sorted[Math.min(sorted.length, Math.max(1, rank)) - 1] ?? 0;
}

/** Every latency of a run, in milliseconds, without rounding into buckets. */
export class LatencySamples {
  #samples = new Float64Array(65_536);
  #count = 0;

  add(milliseconds: number): void {
    if (this.#count === this.#samples.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#samples);
      this.#samples = larger;
    }
    this.#samples[this.#count++] = milliseconds;
  }

  get count(): number {
    return this.#count;
  }

  summary(): Latencies {
    const sorted = this.#samples.slice(0, this.#count).sort();
    return {
      p50: percentile(sorted, 0.5),
      p90: percentile(sorted, 0.9),
      p99: percentile(sorted, 0.99),
      max: sorted[sorted.length - 1] ?? 0,
    };
  }
}
