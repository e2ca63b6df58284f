import { type BatchSource, withoutFinalSlash } from '@tributary/contracts';
import type { Release } from '@tributary/fhir-definitions';
import { DataKey } from '@tributary/key-vault';
import { SourceIds, type UserRecord, sourceIdsSecret } from '@tributary/record-storage';

/** One release of a health system from which resources of a record are collected, with the secrets of that record. */
export class CollectionSource {
  private constructor(
    readonly release: Release,
    /** The base URL of the source, without a slash at the end. */
    readonly fhirBaseUrl: string,
    /** The blind index of the source, stored in rows. */
    readonly blinded: bigint,
    /** The AES-256-GCM key of the texts that the source wrote. */
    readonly seal: DataKey,
    readonly healthSystemId: number,
    private readonly ids: SourceIds,
  ) {}

  static async of(
    record: UserRecord,
    { release, health_system_id: healthSystemId, fhir_base_url: fhirBaseUrl }: BatchSource,
  ): Promise<CollectionSource> {
    const [idSecret, sealSecret] = await Promise.all([
      record.secret(sourceIdsSecret),
      // On-disk label; must never change.
      record.secret('awaited references'),
    ]);
    const seal = DataKey.fromBytes(sealSecret);
    return new CollectionSource(
      release,
      withoutFinalSlash(fhirBaseUrl),
      seal.blind('source', `health-system/${healthSystemId}|${release}`),
      seal,
      healthSystemId,
      new SourceIds(idSecret, healthSystemId, release),
    );
  }

  /** The id that a resource of the source has in the record. */
  idOf(type: string, sourceId: string): string {
    return this.ids.idOf(type, sourceId);
  }
}
