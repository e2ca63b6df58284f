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
import type { NewContent, ResourceBody } from '@tributary/record-storage';
import { FhirError } from '../fhir-http/fhir-error';
import { maxResourceBytes } from '../fhir-http/limits';
import { replaceReferences } from './replace-references';

/** What the storage keeps of a resource: its text without what the storage says itself, and what it is found by. */
export function contentOf(release: Release, resource: Resource): NewContent {
  return { body: bodyOf(resource), index: indexValues(release, resource) };
}

/**
 * The same of a resource that a client sent: a reference to one of our own resources by its whole address becomes a relative one, so that it is found by
 * either spelling and outlives a change of the address.
 * @throws FhirError 422 when a patch or the references of a transaction have made it larger than a resource may be
 */
export function clientContent({ release, base }: { release: Release; base: string }, resource: Resource): NewContent {
  const content = contentOf(release, resource);
  if (Buffer.byteLength(content.body.members) > maxResourceBytes)
    throw new FhirError(422, `the resource would be larger than ${maxResourceBytes / 1024 / 1024} MB`, 'too-long');
  const own = `${base}/`;
  if (!content.body.members.includes(`"${own}`)) return content;
  return contentOf(
    release,
    replaceReferences(resource, (reference, member) =>
      member === 'reference' && reference.startsWith(own) ? reference.slice(own.length) : undefined,
    ),
  );
}

/** The text of a resource without resourceType, id, meta.versionId and meta.lastUpdated. */
function bodyOf(resource: Resource): ResourceBody {
  const { resourceType: _type, id: _id, meta, ...members } = resource;
  return { meta: metaText(meta), members: membersText(members) };
}

/** The members of meta as text, without versionId and lastUpdated. */
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

function membersText(object: JsonObject): string {
  return stringifyJson(object).slice(1, -1);
}

/** Parses the stored JSON of a resource. */
export function parseResource(json: Buffer): Resource {
  return parseJson(json.toString('utf8')) as Resource;
}
