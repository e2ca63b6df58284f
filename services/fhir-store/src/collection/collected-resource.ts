import { metaSourceExtension, sourceAddressExtension } from '@tributary/contracts';
import { isResourceType } from '@tributary/fhir-definitions';
import {
  JsonError,
  type JsonObject,
  type Resource,
  hasMoreMembers,
  isJsonObject,
  parseJson,
} from '@tributary/fhir-json';
import { type Upsert, keyText, mayHaveReferences, relativeReference, typeCodeOf } from '@tributary/record-storage';
import { maxMembers } from '../fhir-http/limits';
import { type ReferringMember, replaceReferences } from '../resources/replace-references';
import { contentOf, metaText } from '../resources/resource-content';
import { attachmentAddress, isUnreachable } from './attachment-address';
import type { CollectionSource } from './collection-source';
import { type SourceReference, readSourceReference } from './source-reference';

/** A resource that was collected from a source, in the form in which it is stored. */
export interface CollectedResource {
  readonly type: string;
  readonly sourceId: string;
  readonly change: Upsert;
  /** The references that were rewritten, with their original texts, in the order of the resource. */
  readonly references: readonly RewrittenReference[];
  /** The number of attachments at other hosts than the source, or at addresses that name no server. */
  readonly attachmentsElsewhere: number;
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

/** Content in the object storage that a collected Binary has. */
export interface UploadedContent {
  /** What stands for it. */
  readonly base64: string;
  /** By which the same content is recognized when it is collected again. */
  readonly digest: string;
}

/**
 * Parses one NDJSON line of a batch. The resource is stored as the source wrote it, except for id, meta.versionId,
 * meta.lastUpdated, meta.source and the references to other resources of the source.
 * @throws UnusableLine when the line is not JSON, not a resource of the release, or has no valid id
 */
export function readCollected(source: CollectionSource, line: string, content?: UploadedContent): CollectedResource {
  if (!content && mayHaveReferences(line)) throw new UnusableLine('a text of the resource imitates stored content');
  const resource = readLine(source, line);
  const { resourceType: type, id: ownId } = resource;
  if (typeof ownId !== 'string' || ownId === '') throw new UnusableLine('the resource has no id', type);
  // The content of an attachment comes as a Binary whose id is the address.
  const address = type === 'Binary' ? attachmentAddress(source, ownId) : undefined;
  if (!address && ownId.length > 255) throw new UnusableLine('the id of the resource is too long', type);
  const sourceId = address?.sourceId ?? ownId;
  const references = new Map<string, RewrittenReference>();
  let attachmentsElsewhere = 0;
  const rewritten = replaceReferences(resource, (text, member) => {
    if (member === 'attachment' && isUnreachable(source, text)) attachmentsElsewhere++;
    return rewrite(source, text, member, references);
  });
  const stored = withProvenance(source, rewritten, address?.url ?? `${source.fhirBaseUrl}/${type}/${sourceId}`);
  const written = contentOf(source.release, stored);
  const found = [...references.values()];
  // The stored form and the replaced texts identify the original content without another serialization.
  const texts = found.flatMap((reference) => reference.unsignedText ?? reference.texts);
  const members = content ? written.body.members.replace(content.base64, content.digest) : written.body.members;
  const original = [members, metaText(resource.meta), ...texts].join('\n');
  return {
    type,
    sourceId,
    change: {
      typeCode: typeCodeOf(source.release, type),
      id: source.idOf(type, sourceId),
      ...written,
      source: original,
    },
    references: found,
    attachmentsElsewhere,
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
  if (hasMoreMembers(value, maxMembers.resource))
    throw new UnusableLine(`the resource has more than ${maxMembers.resource} elements`);
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

/**
 * Records the URL of a resource in its source: as `meta.source`, or as an extension of `meta` when the resource has a
 * `meta.source` of its own, or the release has no such element (https://hl7.org/fhir/R4/versions.html#extensions).
 */
function withProvenance({ release }: CollectionSource, resource: Resource, address: string): Resource {
  const meta: JsonObject = isJsonObject(resource.meta) ? resource.meta : {};
  if (release === 'r4' && meta['source'] === undefined) return { ...resource, meta: { ...meta, source: address } };
  const extensions = Array.isArray(meta['extension']) ? meta['extension'] : [];
  const url = release === 'r4' ? sourceAddressExtension : metaSourceExtension;
  return { ...resource, meta: { ...meta, extension: [...extensions, { url, valueUri: address }] } };
}
