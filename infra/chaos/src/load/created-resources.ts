import type { Findings } from '../report/finding';

/** The ledger of one user's creates. Each resource carries a marker of its own, so that a second one of the same create is seen. */
export class CreatedResources {
  readonly #byMarker = new Map<string, { id: string | undefined }>();

  /** Notes a create before it is sent: as long as it is not acknowledged, it may have happened or not, but at most once. */
  attempted(marker: string): void {
    this.#byMarker.set(marker, { id: undefined });
  }

  acknowledged(marker: string, id: string): void {
    this.#byMarker.set(marker, { id });
  }

  /** What is acknowledged at this moment. */
  acknowledgedNow(): { marker: string; id: string }[] {
    return [...this.#byMarker].flatMap(([marker, { id }]) => (id === undefined ? [] : [{ marker, id }]));
  }

  /**
   * Compares with what an export holds.
   * @param due the markers that must be there
   * @param missing what it means when one is not
   */
  compare(
    exported: readonly string[],
    due: readonly string[],
    missing: 'lost' | 'falsely complete',
    findings: Findings,
  ): void {
    const counts = new Map<string, number>();
    for (const marker of exported) counts.set(marker, (counts.get(marker) ?? 0) + 1);
    for (const marker of due)
      if (!counts.has(marker))
        findings.add(missing, `create ${marker} is not in an export that began after its answer`);
    for (const [marker, count] of counts)
      if (count > 1) findings.add('duplicated', `create ${marker} is in an export ${count} times`);
  }
}
