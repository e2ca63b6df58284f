import { isResourceType } from '@tributary/fhir-definitions';
import { type ResourceKey, typeCodeOf } from '@tributary/record-storage';
import type { ReferringMember } from '../resources/replace-references';
import { readAttachmentUrl } from './attachment-address';
import type { CollectionSource } from './collection-source';

/** A reference of a collected resource to another resource of the same source. */
export interface SourceReference extends ResourceKey {
  /**
   * `Type/id` of the source, or the address of an attachment that is not a Binary: as the source wrote it, or the URL
   * to which a relative one resolves.
   */
  readonly sourceReference: string;
  /** The text without its signature, which is new at every read; undefined when it has none. */
  readonly unsignedText?: string;
}

const relative = /^([A-Z][A-Za-z]{1,63})\/([^/?#|\s]{1,255})(?:\/_history\/[^/?#|\s]{1,255})?$/;

/**
 * Parses a reference to a resource of the source. The result is undefined for fragments, URNs, other servers and
 * conditional references.
 */
export function readSourceReference(
  source: CollectionSource,
  text: string,
  member: ReferringMember,
): SourceReference | undefined {
  const own = readReference(source, text);
  if (member === 'reference') return own;
  // The content of an attachment is stored as a Binary, also when it is another resource.
  if (own && isBinary(own)) return own;
  const address = readAttachmentUrl(source, text);
  if (!address?.isOwn) return undefined;
  const isResolved = address.url !== text && !address.isSigned;
  const resource = isResolved ? readReference(source, address.url) : undefined;
  if (resource && isBinary(resource)) return resource;
  return {
    typeCode: typeCodeOf(source.release, 'Binary'),
    id: source.idOf('Binary', address.sourceId),
    sourceReference: address.requested,
    ...(address.isSigned ? { unsignedText: address.url } : {}),
  };
}

function isBinary({ sourceReference }: SourceReference): boolean {
  return sourceReference.startsWith('Binary/');
}

/** Parses a relative reference, or an absolute one below the base URL of the source. */
function readReference(source: CollectionSource, text: string): SourceReference | undefined {
  const { fhirBaseUrl, release } = source;
  const local =
    text.startsWith(fhirBaseUrl) && text[fhirBaseUrl.length] === '/' ? text.slice(fhirBaseUrl.length + 1) : text;
  const [, type, id] = relative.exec(local) ?? [];
  if (type === undefined || id === undefined || !isResourceType(release, type)) return undefined;
  return { typeCode: typeCodeOf(release, type), id: source.idOf(type, id), sourceReference: `${type}/${id}` };
}
