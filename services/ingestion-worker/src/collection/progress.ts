import type { ResourceOutcome, TypeProgress } from '@tributary/contracts';

/** A type that is about to be collected. */
export function emptyProgress(type: string): TypeProgress {
  return { type, fetched: 0, stored: 0, unchanged: 0, failed: 0, done: false, warnings: [] };
}

const mostWarnings = 20;

/** Adds a warning once; beyond 20 a type has trouble enough to show. */
export function warn(progress: TypeProgress, warning: string): void {
  if (!progress.warnings.includes(warning) && progress.warnings.length < mostWarnings) progress.warnings.push(warning);
}

export type Counts = Pick<TypeProgress, 'fetched' | 'stored' | 'unchanged' | 'failed'>;

export function countsOf({ fetched, stored, unchanged, failed }: Counts): Counts {
  return { fetched, stored, unchanged, failed };
}

/** Counts resources that were fetched, and what became of each. */
export function countOutcomes(progress: TypeProgress, outcomes: ResourceOutcome[]): void {
  progress.fetched += outcomes.length;
  for (const { outcome, reason } of outcomes) {
    progress[outcome]++;
    if (outcome === 'failed') warn(progress, `a resource was not stored: ${reason ?? 'no reason given'}`);
  }
}
