import type { ScenarioName } from '../options';

export type Unit = '/s' | 'ms' | 'MB/s' | 'MB' | 'B' | '-fold';

/** The goal of a figure, for two processors that also run the load generator. */
export interface Goal {
  min?: number;
  max?: number;
  /** The minimum fraction of what the bare database reaches in the same run. */
  minOfBare?: number;
  /** The maximum multiple of what the bare database takes. */
  maxOfBare?: number;
  /** The minimum fraction of the rate of an empty Express route. */
  minOfEmpty?: number;
}

/** One line of the report. */
export interface Figure {
  scenario: ScenarioName;
  work: string;
  unit: Unit;
  /** The result of the suite. */
  value: number;
  /** The result of the bare database for the same work. */
  bare?: number | undefined;
  /**
   * For a rate: the processor time of one request or resource in milliseconds, over all processes except those that
   * generate the load.
   */
  processorMs?: number | undefined;
  /** The processor time of the bare database, with the same definition. */
  bareProcessorMs?: number | undefined;
  /** The value divided by the rate of an empty Express route, which is measured before and after. */
  ofEmpty?: number | undefined;
  goal?: Goal | undefined;
  note?: string | undefined;
}

/** The result of the suite divided by that of the bare database. */
export function ofBare({ value, bare }: Pick<Figure, 'value' | 'bare'>): number | undefined {
  return bare === undefined || bare === 0 ? undefined : value / bare;
}

/** The figure as a share of its goal, of the condition that it meets least: 1 or more reaches the goal. */
export function shareOfGoal(figure: Figure): number | undefined {
  const { goal, value, ofEmpty } = figure;
  if (!goal) return undefined;
  const ratio = ofBare(figure);
  const atLeast = (min: number | undefined, of: number | undefined): number =>
    min === undefined || of === undefined ? Infinity : of / min;
  const atMost = (max: number | undefined, of: number | undefined): number =>
    max === undefined || of === undefined ? Infinity : max / of;
  return Math.min(
    atLeast(goal.min, value),
    atMost(goal.max, value),
    atLeast(goal.minOfBare, ratio),
    atMost(goal.maxOfBare, ratio),
    atLeast(goal.minOfEmpty, ofEmpty),
  );
}

/** Whether the figure meets every condition of its goal; undefined without a goal. */
export function reachesGoal(figure: Figure): boolean | undefined {
  const share = shareOfGoal(figure);
  return share === undefined ? undefined : share >= 1;
}
