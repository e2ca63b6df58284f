import { isResourceType } from '@tributary/fhir-definitions';
import { type ResourceKey, kindOf } from '@tributary/record-storage';
import type { CollectionSource } from './collection-source';

/** A reference of a collected resource to another resource of the same source. */
export interface OwnReference extends ResourceKey {
  /** `Type/id` as the source names it. */
  readonly sourceReference: string;
}

const relative = /^([A-Z][A-Za-z]{1,63})\/([^/?#|\s]{1,255})(?:\/_history\/[^/?#|\s]{1,255})?$/;

/**
 * What a reference's text names in the source: relative, or below the source's own address. Everything else is not the source's: fragments, urn:, other
 * servers, conditional references.
 */
export function readOwnReference(source: CollectionSource, text: string): OwnReference | undefined {
  const { fhirBaseUrl, release } = source;
  const local = text.startsWith(fhirBaseUrl) && text[fhirBaseUrl.length] === '/' ? text.slice(fhirBaseUrl.length + 1) : text;
  const [, type, id] = relative.exec(local) ?? [];
  if (type === undefined || id === undefined || !isResourceType(release, type)) return undefined;
  return { kind: kindOf(release, type), id: source.idOf(type, id), sourceReference: `${type}/${id}` };
}
