import { createHmac } from 'node:crypto';
import type { BatchSource } from '@tributary/contracts';
import type { Release } from '@tributary/fhir-definitions';
import { DataKey } from '@tributary/key-vault';
import type { UserRecord } from '@tributary/record-storage';
import { idOfHash } from '../resources/resource-id';

/** A release of a health system as the source of a record's resources, with the secrets of that record. */
export class CollectionSource {
  readonly #ids = new Map<string, string>();
  /** Scheme and host of the source. */
  readonly origin: string;

  private constructor(
    readonly release: Release,
    /** Of the source, without a slash at its end. */
    readonly fhirBaseUrl: string,
    /** Names the source in stored rows. */
    readonly blinded: bigint,
    /** Seals what the source wrote. */
    readonly seal: DataKey,
    private readonly idSecret: Buffer,
    private readonly name: string,
  ) {
    this.origin = /^[a-z]+:\/\/[^/?#]+/i.exec(fhirBaseUrl)?.[0] ?? fhirBaseUrl;
  }

  static async of(
    record: UserRecord,
    { release, health_system_id: healthSystemId, fhir_base_url: fhirBaseUrl }: BatchSource,
  ): Promise<CollectionSource> {
    const [idSecret, sealSecret] = await Promise.all([
      record.secret('ids of collected resources'),
      record.secret('awaited references'),
    ]);
    const name = `health-system/${healthSystemId}`;
    const seal = DataKey.fromBytes(sealSecret);
    return new CollectionSource(
      release,
      fhirBaseUrl.replace(/\/+$/, ''),
      seal.blind('source', `${name}|${release}`),
      seal,
      idSecret,
      name,
    );
  }

  /**
   * The id in the record of a resource of the source: a UUID of version 8, always the same, so that collecting again finds it
   * and references can be rewritten without looking anything up.
   */
  idOf(type: string, sourceId: string): string {
    const key = `${type}|${sourceId}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = idOfHash(createHmac('sha256', this.idSecret).update(`${this.name}|${this.release}|${key}`).digest());
      this.#ids.set(key, id);
    }
    return id;
  }
}
