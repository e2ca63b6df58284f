import type { Release } from '@tributary/fhir-definitions';
import { type JsonObject, type Resource, isJsonObject, stringifyJson } from '@tributary/fhir-json';
import { indexValues } from '@tributary/fhir-search';
import type { NewContent, ResourceBody } from '@tributary/record-storage';

/** What the storage keeps of a resource: its text without what the storage says itself, and what it is found by. */
export function contentOf(release: Release, resource: Resource): NewContent {
  return { body: bodyOf(resource), index: indexValues(release, resource) };
}

/** The text of a resource without resourceType, id, meta.versionId and meta.lastUpdated. */
export function bodyOf(resource: Resource): ResourceBody {
  const { resourceType: _type, id: _id, meta, ...members } = resource;
  return { meta: isJsonObject(meta) ? membersText(withoutVersion(meta)) : '', members: membersText(members) };
}

function withoutVersion(meta: JsonObject): JsonObject {
  const { versionId: _versionId, lastUpdated: _lastUpdated, _versionId: _versionIdExtension, _lastUpdated: _lastUpdatedExtension, ...kept } = meta;
  return kept;
}

function membersText(object: JsonObject): string {
  return stringifyJson(object).slice(1, -1);
}
