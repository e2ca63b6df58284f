import type { ResourceOutcome, TypeProgress } from '@tributary/contracts';

/** The progress of a type that is not collected yet. */
export function emptyProgress(type: string): TypeProgress {
  return { type, fetched: 0, stored: 0, unchanged: 0, failed: 0, done: false, warnings: [] };
}

const maxWarnings = 20;

/** Adds a warning, once; a type has at most 20. */
export function warn(progress: TypeProgress, warning: string): void {
  if (!progress.warnings.includes(warning) && progress.warnings.length < maxWarnings) progress.warnings.push(warning);
}

export type Counts = Pick<TypeProgress, 'fetched' | 'stored' | 'unchanged' | 'failed'>;

export function countsOf({ fetched, stored, unchanged, failed }: Counts): Counts {
  return { fetched, stored, unchanged, failed };
}

/** Counts fetched resources by the outcome of storing each. */
export function countOutcomes(progress: TypeProgress, outcomes: ResourceOutcome[]): void {
  progress.fetched += outcomes.length;
  for (const { outcome, reason } of outcomes) {
    progress[outcome]++;
    if (outcome === 'failed') warn(progress, `a resource was not stored: ${reason ?? 'no reason given'}`);
  }
}
