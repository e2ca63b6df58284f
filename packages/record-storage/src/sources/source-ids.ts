import { createHmac } from 'node:crypto';
import { metaSourceExtension, sourceAddressExtension } from '@tributary/contracts';
import type { Release } from '@tributary/fhir-definitions';
import { type JsonValue, type Resource, isJsonObject } from '@tributary/fhir-json';

/** The name of the secret of a record from which the ids of collected resources are derived. */
export const sourceIdsSecret = 'ids of collected resources';

/**
 * The ids that resources of one release of a health system have in a record. An id is a UUID of version 8, derived by
 * HMAC from type and source id: it is stable, so a repeated collection finds the resource, and references are rewritten
 * without a query.
 */
export class SourceIds {
  readonly #ids = new Map<string, string>();

  /** @param secret `sourceIdsSecret` of the record */
  constructor(
    private readonly secret: Buffer,
    private readonly healthSystemId: number,
    private readonly release: Release,
  ) {}

  idOf(type: string, sourceId: string): string {
    const key = `${type}|${sourceId}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      const name = `health-system/${this.healthSystemId}|${this.release}|${key}`;
      id = idOfHash(createHmac('sha256', this.secret).update(name).digest());
      this.#ids.set(key, id);
    }
    return id;
  }
}

/** A UUID of version 8 (RFC 9562, section 5.8) from the first 16 bytes of a hash. */
function idOfHash(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x80;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * The reference of a stored resource in its source, from the URL that the collection recorded. The id in the record is
 * derived from it, and confirms it; the base URL of the source may have changed since.
 * @returns `Type/id`, or the URL of an attachment; undefined when the resource did not come from this source
 */
export function sourceReferenceOf(source: Pick<SourceIds, 'idOf'>, resource: Resource): string | undefined {
  const { resourceType: type, id, meta } = resource;
  for (const address of recordedAddresses(meta)) {
    if (type === 'Binary' && source.idOf(type, address) === id) return address;
    const prefix = `/${type}/`;
    for (let at = address.indexOf(prefix); at >= 0; at = address.indexOf(prefix, at + 1)) {
      const sourceId = address.slice(at + prefix.length);
      if (source.idOf(type, sourceId) === id) return `${type}/${sourceId}`;
    }
  }
  return undefined;
}

function recordedAddresses(meta: JsonValue | undefined): string[] {
  if (!isJsonObject(meta)) return [];
  const extensions = Array.isArray(meta['extension']) ? meta['extension'].filter(isJsonObject) : [];
  const extended = extensions
    .filter(({ url }) => url === metaSourceExtension || url === sourceAddressExtension)
    .map(({ valueUri }) => valueUri);
  return [meta['source'], ...extended].filter((address) => typeof address === 'string');
}
