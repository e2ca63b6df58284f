import type { Person } from '../people/person';
import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import type { BenchContext } from '../bench-context';
import { bareSearches, searches } from './requests';

/**
 * The suite and the bare database are measured alternately, so that other work of the machine affects both. The lowest
 * median counts.
 */
const rounds = 4;
const roundLoad = { connections: 1, seconds: 1, warmUpSeconds: 0.3 };

/** The factor by which the data of other users grows. */
export const growthFactor = 64;

interface Medians {
  ours: number;
  bare: number;
}

/** Measures the search of one user before and after the records of the other users are stored. */
export class Growth {
  #before: Medians | undefined;

  /** @param few the users whose records are stored first, a 64th of all */
  constructor(
    private readonly context: BenchContext,
    private readonly few: readonly Person[],
  ) {}

  async before(): Promise<void> {
    this.#before = await this.#medians();
  }

  /** @param grown the number of users now, divided by that at `before` */
  async after(grown: number): Promise<Figure[]> {
    if (!this.#before) throw new Error('nothing was measured before');
    const after = await this.#medians();
    const { ours, bare } = this.#before;
    const note = `median of one search at a time: ${ours.toFixed(2)} → ${after.ours.toFixed(2)} ms, bare ${bare.toFixed(2)} → ${after.bare.toFixed(2)} ms`;
    return [
      {
        scenario: 'growth',
        work: `search, data ${Math.round(grown)}-fold`,
        unit: '-fold',
        value: after.ours / ours,
        bare: after.bare / bare,
        goal: goals.growth,
        note,
      },
    ];
  }

  async #medians(): Promise<Medians> {
    const lowest: Medians = { ours: Infinity, bare: Infinity };
    for (let round = 0; round < rounds; round++) {
      const ours = await this.context.measure('growth', searches(this.few), roundLoad);
      const bare = await this.context.measureBare(bareSearches(this.few), roundLoad);
      lowest.ours = Math.min(lowest.ours, ours.latencies.p50);
      lowest.bare = Math.min(lowest.bare, bare.latencies.p50);
    }
    return lowest;
  }
}
