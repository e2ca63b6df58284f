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
  /** What the suite does. */
  value: number;
  /** What the bare database does with the same work. */
  bare?: number | undefined;
  /**
   * Of a rate: processor time in milliseconds that one request or resource takes in all processes but those that make
   * the load.
   */
  processorMs?: number | undefined;
  /** The same of the bare database. */
  bareProcessorMs?: number | undefined;
  goal?: Goal | undefined;
  note?: string | undefined;
}

/** The suite's figure as a part, or a multiple, of the bare database's. */
export function ofBare({ value, bare }: Pick<Figure, 'value' | 'bare'>): number | undefined {
  return bare === undefined || bare === 0 ? undefined : value / bare;
}

/** Whether the figure reaches its goal in every respect; undefined when it has none. */
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
