import { type JsonObject, type JsonValue, isJsonObject, stringifyJson } from '@tributary/fhir-json';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { badRequest } from '../../fhir-http/fhir-error';
import { parseResource } from '../../resources/resource-content';
import { patchWith } from '../patch/patch';
import { storedJson } from '../read';
import { filterOf } from '../search/evaluate/search-filter';
import { matching } from '../search/evaluate/evaluate-search';
import { isParameters, parameterIn, returned } from './parameters';

const lists = ['profile', 'security', 'tag'] as const;

/**
 * `GET /{release}[/{Type}]/$meta`: all profiles, security labels and tags in use
 * (https://hl7.org/fhir/R4/resource-operation-meta.html).
 */
export async function metaInUse(request: FhirRequest, types: readonly string[]): Promise<FhirResponse> {
  const inUse = lists.map((name) => [name, new Map<string, JsonValue>()] as const);
  for await (const { resource } of matching(
    request.record,
    await filterOf(request.record, request.release, types, []),
  )) {
    for (const [name, seen] of inUse)
      for (const item of itemsOf(resource.meta, name)) seen.set(stringifyJson(item), item);
  }
  const meta = Object.fromEntries(
    inUse.filter(([, seen]) => seen.size > 0).map(([name, seen]) => [name, [...seen.values()]]),
  );
  return { status: 200, body: returned('valueMeta', meta) };
}

/**
 * `GET /{release}/{Type}/{id}/$meta` (https://hl7.org/fhir/R4/resource-operation-meta.html).
 * @throws FhirError 404 or 410 without the resource
 */
export async function metaOf(request: FhirRequest, type: string, id: string): Promise<FhirResponse> {
  const { meta = {} } = parseResource(await storedJson(request, type, id));
  return { status: 200, body: returned('valueMeta', meta) };
}

/**
 * `POST /{release}/{Type}/{id}/$meta-add` and `$meta-delete`: stores a version with or without the given profiles,
 * security labels and tags (https://hl7.org/fhir/R4/resource-operation-meta-add.html,
 * https://hl7.org/fhir/R4/resource-operation-meta-delete.html).
 * @throws FhirError 400 without the parameter `meta`, 404 or 410 without the resource
 */
export async function changeMeta(
  request: FhirRequest,
  type: string,
  id: string,
  change: 'add' | 'delete',
): Promise<FhirResponse> {
  const body = await request.body();
  const given = isParameters(body) ? parameterIn(body, 'meta') : undefined;
  if (!isJsonObject(given)) throw badRequest('the parameter `meta` is missing', 'required');
  await patchWith(request, type, id, (resource) => ({
    ...resource,
    meta: changed(resource.meta ?? {}, given, change),
  }));
  return metaOf(request, type, id);
}

function changed(meta: JsonObject, given: JsonObject, change: 'add' | 'delete'): JsonObject {
  const result: JsonObject = { ...meta };
  for (const name of lists) {
    const named = new Set(itemsOf(given, name).map((item) => identity(item)));
    const others = itemsOf(meta, name).filter((item) => !named.has(identity(item)));
    const items = change === 'add' ? [...others, ...itemsOf(given, name)] : others;
    if (items.length > 0) result[name] = items;
    else delete result[name];
  }
  return result;
}

function itemsOf(meta: JsonValue | undefined, name: string): JsonValue[] {
  const items = isJsonObject(meta) ? meta[name] : undefined;
  return Array.isArray(items) ? items : [];
}

/** The key of a tag or label is its system and code, that of a profile its URL. */
function identity(item: JsonValue): string {
  return isJsonObject(item) ? stringifyJson([item['system'] ?? null, item['code'] ?? null]) : stringifyJson(item);
}
