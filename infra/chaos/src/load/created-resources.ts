import type { Findings } from '../findings';
import { tally } from '../tally';

export interface AcknowledgedCreate {
  readonly id: string;
  /** The `meta.lastUpdated` of the response, in epoch milliseconds. */
  readonly lastUpdated: number;
}

/**
 * The ledger of one user's creates. Each resource has a unique marker, so that a duplicate of the same create is found.
 */
export class CreatedResources {
  readonly #byMarker = new Map<string, AcknowledgedCreate | undefined>();

  /** Records a create before it is sent. Until it is acknowledged, it may have taken effect once or not at all. */
  attempted(marker: string): void {
    this.#byMarker.set(marker, undefined);
  }

  acknowledged(marker: string, create: AcknowledgedCreate): void {
    this.#byMarker.set(marker, create);
  }

  /** The markers that are acknowledged now. */
  acknowledgedNow(): (AcknowledgedCreate & { marker: string })[] {
    return [...this.#byMarker].flatMap(([marker, create]) => (create === undefined ? [] : [{ marker, ...create }]));
  }

  /**
   * Compares the ledger with an export.
   * @param due the markers that the export must contain
   * @param missing the finding for a missing one
   */
  compare(
    exported: readonly string[],
    due: readonly string[],
    missing: 'lost' | 'falsely complete',
    findings: Findings,
  ): void {
    const counts = tally(exported);
    for (const marker of due)
      if (!counts.has(marker))
        findings.add(missing, `create ${marker} is not in an export that began after its answer`);
    for (const [marker, count] of counts)
      if (count > 1) findings.add('duplicated', `create ${marker} is in an export ${count} times`);
  }
}
