import { isResourceType } from '@tributary/fhir-definitions';
import { JsonError, type JsonObject, type Resource, isJsonObject, parseJson } from '@tributary/fhir-json';
import { type Upsert, typeCodeOf, relativeReference, keyText } from '@tributary/record-storage';
import { type ReferringMember, replaceReferences } from '../resources/replace-references';
import { contentOf, metaText } from '../resources/resource-content';
import type { CollectionSource } from './collection-source';
import { type SourceReference, readSourceReference } from './source-reference';

/** A resource of a source, ready to be stored. */
export interface CollectedResource {
  readonly type: string;
  readonly sourceId: string;
  readonly change: Upsert;
  /** The references that were rewritten, with the texts that stood there, in the order of the resource. */
  readonly references: readonly RewrittenReference[];
}

export interface RewrittenReference extends SourceReference {
  readonly texts: string[];
}

/** Why a line was not stored. The message names rules and never values. */
export class UnusableLine extends Error {
  constructor(
    reason: string,
    readonly type?: string,
    readonly sourceId?: string,
  ) {
    super(reason);
  }
}

/**
 * Reads one line of a batch. The resource stays as the source wrote it but for id, versionId and lastUpdated, its references to other
 * resources of the source, and the note in meta where it comes from.
 * @throws UnusableLine
 */
export function readCollected(source: CollectionSource, line: string): CollectedResource {
  const resource = readLine(source, line);
  const { resourceType: type, id: sourceId } = resource;
  if (typeof sourceId !== 'string' || sourceId === '') throw new UnusableLine('the resource has no id', type);
  if (sourceId.length > 255) throw new UnusableLine('the id of the resource is too long', type);
  const references = new Map<string, RewrittenReference>();
  const rewritten = replaceReferences(resource, (text, member) => rewrite(source, text, member, references));
  const stored = withProvenance(source, rewritten, addressOf(source, type, sourceId));
  const content = contentOf(source.release, stored);
  const found = [...references.values()];
  // Identifies what the source sent without serializing it again: the stored form and the texts that were replaced.
  const original = [content.body.members, metaText(resource.meta), ...found.flatMap(({ texts }) => texts)].join('\n');
  return {
    type,
    sourceId,
    change: {
      typeCode: typeCodeOf(source.release, type),
      id: source.idOf(type, sourceId),
      ...content,
      source: original,
    },
    references: found,
  };
}

function readLine({ release }: CollectionSource, line: string): Resource {
  let value;
  try {
    value = parseJson(line);
  } catch (error) {
    throw new UnusableLine(error instanceof JsonError ? error.message : 'the line could not be read');
  }
  if (!isJsonObject(value)) throw new UnusableLine('the line is no JSON object');
  const { resourceType } = value;
  if (typeof resourceType !== 'string') throw new UnusableLine('the object has no resourceType');
  if (!isResourceType(release, resourceType)) throw new UnusableLine(`${release} has no resource type of this name`);
  return value as Resource;
}

function rewrite(
  source: CollectionSource,
  text: string,
  member: ReferringMember,
  found: Map<string, RewrittenReference>,
): string | undefined {
  const own = readSourceReference(source, text, member);
  if (!own) return undefined;
  const key = keyText(own);
  const known = found.get(key);
  if (known) known.texts.push(text);
  else found.set(key, { ...own, texts: [text] });
  return relativeReference(own);
}

/** Where a resource lies in its source; an attachment may be known by its whole address. */
function addressOf({ fhirBaseUrl, origin }: CollectionSource, type: string, sourceId: string): string {
  return type === 'Binary' && sourceId.startsWith(`${origin}/`) ? sourceId : `${fhirBaseUrl}/${type}/${sourceId}`;
}

/** Notes where the resource comes from, unless the source already says it: `meta.source`, which before r4 is an extension. */
function withProvenance({ release }: CollectionSource, resource: Resource, url: string): Resource {
  const meta: JsonObject = isJsonObject(resource.meta) ? resource.meta : {};
  if (release === 'r4')
    return meta['source'] === undefined ? { ...resource, meta: { ...meta, source: url } } : resource;
  const extensions = Array.isArray(meta['extension']) ? meta['extension'] : [];
  return { ...resource, meta: { ...meta, extension: [...extensions, { url: sourceExtension, valueUri: url }] } };
}

/** How releases before r4 write its element Meta.source. */
const sourceExtension = 'http://hl7.org/fhir/4.0/StructureDefinition/extension-Meta.source';
