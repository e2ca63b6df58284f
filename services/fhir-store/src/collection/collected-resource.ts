import { isResourceType } from '@tributary/fhir-definitions';
import { JsonError, type JsonObject, type Resource, isJsonObject, parseJson } from '@tributary/fhir-json';
import { type Upsert, typeCodeOf, relativeReference, keyText } from '@tributary/record-storage';
import { type ReferringMember, replaceReferences } from '../resources/replace-references';
import { contentOf, metaText } from '../resources/resource-content';
import type { CollectionSource } from './collection-source';
import { type SourceReference, readSourceReference } from './source-reference';

/** A resource that was collected from a source, in the form in which it is stored. */
export interface CollectedResource {
  readonly type: string;
  readonly sourceId: string;
  readonly change: Upsert;
  /** The references that were rewritten, with their original texts, in the order of the resource. */
  readonly references: readonly RewrittenReference[];
}

export interface RewrittenReference extends SourceReference {
  readonly texts: string[];
}

/** The error of a line that cannot be stored. The message names the rule that is broken and contains no values. */
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
 * Parses one NDJSON line of a batch. The resource is stored as the source wrote it, except for id, meta.versionId,
 * meta.lastUpdated, meta.source and the references to other resources of the source.
 * @throws UnusableLine when the line is not JSON, not a resource of the release, or has no valid id
 */
export function readCollected(source: CollectionSource, line: string): CollectedResource {
  const resource = readLine(source, line);
  const { resourceType: type, id: sourceId } = resource;
  if (typeof sourceId !== 'string' || sourceId === '') throw new UnusableLine('the resource has no id', type);
  if (sourceId.length > 255) throw new UnusableLine('the id of the resource is too long', type);
  const references = new Map<string, RewrittenReference>();
  const rewritten = replaceReferences(resource, (text, member) => rewrite(source, text, member, references));
  const stored = withProvenance(source, rewritten, sourceUrlOf(source, type, sourceId));
  const content = contentOf(source.release, stored);
  const found = [...references.values()];
  // The stored form and the replaced texts identify the original content without another serialization.
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

/** The URL of a resource in its source. The id of an attachment can be its absolute URL. */
function sourceUrlOf({ fhirBaseUrl, origin }: CollectionSource, type: string, sourceId: string): string {
  return type === 'Binary' && sourceId.startsWith(`${origin}/`) ? sourceId : `${fhirBaseUrl}/${type}/${sourceId}`;
}

/**
 * Sets `meta.source` to the URL unless the resource has one. Before r4 the element is an extension
 * (https://hl7.org/fhir/R4/versions.html#extensions).
 */
function withProvenance({ release }: CollectionSource, resource: Resource, url: string): Resource {
  const meta: JsonObject = isJsonObject(resource.meta) ? resource.meta : {};
  if (release === 'r4')
    return meta['source'] === undefined ? { ...resource, meta: { ...meta, source: url } } : resource;
  const extensions = Array.isArray(meta['extension']) ? meta['extension'] : [];
  return { ...resource, meta: { ...meta, extension: [...extensions, { url: sourceExtension, valueUri: url }] } };
}

/** The extension that represents the r4 element Meta.source in earlier releases. */
const sourceExtension = 'http://hl7.org/fhir/4.0/StructureDefinition/extension-Meta.source';
