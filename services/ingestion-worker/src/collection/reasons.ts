import type { PageFailed } from './page-failed';

/** Why a collection failed, in one sentence for each reason with all types that it holds for: `Encounter, Observation: its pages lead in a circle`. */
export function reasonsOf(failures: readonly PageFailed[]): string {
  const typesByReason = new Map<string, Set<string>>();
  for (const { reason, type } of failures)
    typesByReason.set(reason, (typesByReason.get(reason) ?? new Set()).add(type));
  return [...typesByReason].map(([reason, types]) => `${[...types].join(', ')}: ${reason}`).join('; ');
}
