import { isResourceType } from '@tributary/fhir-definitions';
import { type ResourceKey, typeCodeOf } from '@tributary/record-storage';
import type { ReferringMember } from '../resources/replace-references';
import type { CollectionSource } from './collection-source';

/** A reference of a collected resource to another resource of the same source. */
export interface SourceReference extends ResourceKey {
  /** `Type/id` of the source, or the absolute URL of an attachment that is not a resource. */
  readonly sourceReference: string;
}

const relative = /^([A-Z][A-Za-z]{1,63})\/([^/?#|\s]{1,255})(?:\/_history\/[^/?#|\s]{1,255})?$/;
const maxUrlLength = 255;

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
  // The content of an attachment is stored as a Binary.
  if (own) return own.sourceReference.startsWith('Binary/') ? own : undefined;
  return text.length <= maxUrlLength && text.startsWith(`${source.origin}/`)
    ? { typeCode: typeCodeOf(source.release, 'Binary'), id: source.idOf('Binary', text), sourceReference: text }
    : undefined;
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
