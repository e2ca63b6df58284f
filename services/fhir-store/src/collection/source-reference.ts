import { isResourceType } from '@tributary/fhir-definitions';
import { type ResourceKey, typeCodeOf } from '@tributary/record-storage';
import type { ReferringMember } from '../resources/replace-references';
import type { CollectionSource } from './collection-source';

/** A reference of a collected resource to another resource of the same source. */
export interface SourceReference extends ResourceKey {
  /** `Type/id` as the source names it; the whole address of an attachment that is no such resource. */
  readonly sourceReference: string;
}

const relative = /^([A-Z][A-Za-z]{1,63})\/([^/?#|\s]{1,255})(?:\/_history\/[^/?#|\s]{1,255})?$/;
const longestAddress = 255;

/** What a text names in the source; undefined when it is not the source's: fragments, urn:, other servers, conditional references. */
export function readSourceReference(
  source: CollectionSource,
  text: string,
  member: ReferringMember,
): SourceReference | undefined {
  const own = readReference(source, text);
  if (member === 'reference') return own;
  // The content of an attachment is stored as a Binary.
  if (own) return own.sourceReference.startsWith('Binary/') ? own : undefined;
  return text.length <= longestAddress && text.startsWith(`${source.origin}/`)
    ? { typeCode: typeCodeOf(source.release, 'Binary'), id: source.idOf('Binary', text), sourceReference: text }
    : undefined;
}

/** A relative reference, or one below the source's own address. */
function readReference(source: CollectionSource, text: string): SourceReference | undefined {
  const { fhirBaseUrl, release } = source;
  const local =
    text.startsWith(fhirBaseUrl) && text[fhirBaseUrl.length] === '/' ? text.slice(fhirBaseUrl.length + 1) : text;
  const [, type, id] = relative.exec(local) ?? [];
  if (type === undefined || id === undefined || !isResourceType(release, type)) return undefined;
  return { typeCode: typeCodeOf(release, type), id: source.idOf(type, id), sourceReference: `${type}/${id}` };
}
