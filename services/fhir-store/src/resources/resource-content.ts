import type { Release } from '@tributary/fhir-definitions';
import {
  type JsonObject,
  type JsonValue,
  type Resource,
  isJsonObject,
  parseJson,
  stringifyJson,
} from '@tributary/fhir-json';
import { indexValues } from '@tributary/fhir-search';
import { type NewContent, type ResourceBody, mayHaveReferences } from '@tributary/record-storage';
import { FhirError } from '../fhir-http/fhir-error';
import { maxResourceBytes } from '../fhir-http/limits';
import { replaceReferences } from './replace-references';

/** The stored content of a resource: its JSON without the members that the storage sets, and its index values. */
export function contentOf(release: Release, resource: Resource): NewContent {
  return { body: bodyOf(resource), index: indexValues(release, resource) };
}

/**
 * The stored content of a resource that a client sent. Absolute references to resources of this service become
 * relative: searches find both spellings, and the references stay valid when the base URL changes.
 * @throws FhirError 422 when a patch or the references of a transaction make the resource larger than
 * `maxResourceBytes`
 */
export function clientContent({ release, base }: { release: Release; base: string }, resource: Resource): NewContent {
  const content = contentOf(release, resource);
  if (Buffer.byteLength(content.body.members) > maxResourceBytes)
    throw new FhirError(422, `the resource would be larger than ${maxResourceBytes / 1024 / 1024} MB`, 'too-long');
  assertReferenceInPlace(content.body, resource);
  const own = `${base}/`;
  if (!content.body.members.includes(`"${own}`)) return content;
  return contentOf(
    release,
    replaceReferences(resource, (reference, member) =>
      member === 'reference' && reference.startsWith(own) ? reference.slice(own.length) : undefined,
    ),
  );
}

/**
 * Refuses what stands for content of the object storage anywhere but in the place of the content, as after a patch that
 * copies it: each copy would be sent with the whole content.
 */
function assertReferenceInPlace({ meta, members }: ResourceBody, resource: Resource): void {
  if (!mayHaveReferences(members) && !mayHaveReferences(meta)) return;
  const { data, content, ...others } = resource as JsonObject;
  const inPlace =
    resource.resourceType === 'Binary' ? [data, content].filter((value) => typeof value === 'string') : [];
  if (inPlace.length !== 1 || mayHaveReferences(stringifyJson(others)))
    throw new FhirError(422, 'the content of a Binary cannot be copied to another element', 'not-supported');
}

/** The JSON of a resource without resourceType, id, meta.versionId and meta.lastUpdated. */
function bodyOf(resource: Resource): ResourceBody {
  const { resourceType: _type, id: _id, meta, ...members } = resource;
  return { meta: metaText(meta), members: membersText(members) };
}

/** The members of meta as JSON, without versionId and lastUpdated. */
export function metaText(meta: JsonValue | undefined): string {
  return isJsonObject(meta) ? membersText(withoutVersion(meta)) : '';
}

function withoutVersion(meta: JsonObject): JsonObject {
  const {
    versionId: _versionId,
    lastUpdated: _lastUpdated,
    _versionId: _versionIdExtension,
    _lastUpdated: _lastUpdatedExtension,
    ...kept
  } = meta;
  return kept;
}

/** The JSON of an object without the braces. */
export function membersText(object: JsonObject): string {
  return stringifyJson(object).slice(1, -1);
}

/** Parses the stored JSON of a resource. */
export function parseResource(json: Buffer): Resource {
  return parseJson(json.toString('utf8')) as Resource;
}
