import type { Release } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { type ExportedRecords, exportedNewestReleaseTest } from '@tributary/record-storage';

/**
 * `_releasePerSource=newest`: of each health system only the resources of the newest release in which the record has
 * it, as of a snapshot.
 */
export class NewestRelease {
  #userId: number | undefined;
  #test: ((resource: Resource) => boolean) | undefined;

  /** @param at the snapshot, exclusive, in epoch milliseconds */
  constructor(
    private readonly records: ExportedRecords,
    private readonly release: Release,
    private readonly at: number,
  ) {}

  /** Reads what decides about the resources of a user. The lines of a file come user by user. */
  readonly prepare = async (userId: number): Promise<void> => {
    if (this.#userId === userId) return;
    this.#test = await exportedNewestReleaseTest(this.records, userId, this.release, this.at);
    this.#userId = userId;
  };

  /** @throws Error for a resource of another user than that of the last `prepare` */
  has(resource: Resource, userId: number): boolean {
    if (this.#userId !== userId) throw new Error('the health systems of the user have not been read');
    return this.#test?.(resource) ?? true;
  }
}
