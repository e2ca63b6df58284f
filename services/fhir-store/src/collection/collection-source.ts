import { createHmac } from 'node:crypto';
import type { BatchSource } from '@tributary/contracts';
import type { Release } from '@tributary/fhir-definitions';
import { DataKey } from '@tributary/key-vault';
import type { UserRecord } from '@tributary/record-storage';
import { idOfHash } from '../resources/resource-id';

/** One release of a health system from which resources of a record are collected, with the secrets of that record. */
export class CollectionSource {
  readonly #ids = new Map<string, string>();
  /** Scheme and host of the source. */
  readonly origin: string;

  private constructor(
    readonly release: Release,
    /** The base URL of the source, without a slash at the end. */
    readonly fhirBaseUrl: string,
    /** The blind index of the source, stored in rows. */
    readonly blinded: bigint,
    /** The AES-256-GCM key of the texts that the source wrote. */
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
   * The id that a resource of the source has in the record: a UUID of version 8, derived by HMAC from type and source
   * id. The id is stable, so a repeated collection finds the resource, and references are rewritten without a query.
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
