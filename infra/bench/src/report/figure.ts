import type { ScenarioName } from '../options';

export type Unit = '/s' | 'ms' | 'MB/s' | 'MB' | 'B' | '-fold';

/** The goal of a figure, for two processors that also run the load generator. */
export interface Goal {
  min?: number;
  max?: number;
  /** The minimum fraction of what the bare database reaches in the same run. */
  minOfBare?: number;
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
  goal?: Goal | undefined;
  note?: string | undefined;
}

/** The result of the suite divided by that of the bare database. */
export function ofBare({ value, bare }: Pick<Figure, 'value' | 'bare'>): number | undefined {
  return bare === undefined || bare === 0 ? undefined : value / bare;
}

/** Whether the figure meets every condition of its goal; undefined without a goal. */
export function reachesGoal(figure: Figure): boolean | undefined {
  const { goal, value } = figure;
  if (!goal) return undefined;
  const ratio = ofBare(figure);
  return (
    (goal.min === undefined || value >= goal.min) &&
    (goal.max === undefined || value <= goal.max) &&
    (goal.minOfBare === undefined || ratio === undefined || ratio >= goal.minOfBare)
  );
}
