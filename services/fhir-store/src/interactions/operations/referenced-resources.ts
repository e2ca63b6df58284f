import { type JsonValue, isJsonObject } from '@tributary/fhir-json';
import { type ResourceKey, typeCodeOf, typeOfCode, keyText, wholeLength } from '@tributary/record-storage';
import { z } from 'zod';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import type { Filter } from '../search/evaluate/search-filter';
import { SearchMatch } from '../search/evaluate/search-match';
import { ownTarget } from '../search/page/includes';
import { PageLimit } from '../search/page/page-limit';
import { readManyInChunks } from '../search/evaluate/read-chunks';
import { matching } from '../search/evaluate/evaluate-search';

/**
 * The state of a paging link: the remaining keys by type code, as bytes in base64url; or, above `maxKeysInLink`, the
 * last key of the page.
 */
export const referencedState = z.union([
  z.object({ keys: z.record(z.string().regex(/^\d{1,5}$/), z.string()) }),
  z.object({ after: z.tuple([z.number(), z.string()]) }),
]);
type ReferencedState = z.infer<typeof referencedState>;

/** The limit of keys in a paging link. */
const maxKeysInLink = 500;

export interface ReferencedRequest {
  /** All types when empty. */
  readonly types: readonly string[];
  readonly since: number | undefined;
  readonly state: ReferencedState | undefined;
  readonly limit: number;
}

/**
 * The resources outside a compartment to which its members refer, directly or through other such resources, in the
 * order of type code and id. Other patients are excluded. The first page reads all members; its link contains the
 * remaining keys.
 */
export async function referencedResources(
  request: FhirRequest,
  members: Filter,
  { types, since, state, limit }: ReferencedRequest,
): Promise<{ found: SearchMatch[]; next: ReferencedState | undefined }> {
  const wanted =
    state && 'keys' in state ? keysIn(state.keys) : await wantedKeys(request, members, types, state?.after);
  const found: SearchMatch[] = [];
  const left = (from: number): ReferencedState | undefined =>
    stateOf(wanted, from, state && 'after' in state ? state.after : undefined);
  if (limit === 0) return { found, next: left(0) };
  const page = new PageLimit(limit, request.contentLimits.pageBytes);
  for await (const chunk of readManyInChunks(request.record, wanted)) {
    for (const { typeCode, id, json, lastUpdated } of chunk) {
      if (!json || (since !== undefined && lastUpdated < since)) continue;
      if (!page.takes(wholeLength(json)))
        return { found, next: left(wanted.findIndex((key) => key.typeCode === typeCode && key.id === id)) };
      found.push(new SearchMatch(typeCode, id, json));
    }
  }
  return { found, next: undefined };
}

async function wantedKeys(
  request: FhirRequest,
  members: Filter,
  types: readonly string[],
  after: readonly [number, string] | undefined,
): Promise<ResourceKey[]> {
  return (await outsideKeys(request, members))
    .filter(({ typeCode }) => types.length === 0 || types.includes(typeOfCode(typeCode)))
    .toSorted((a, b) => a.typeCode - b.typeCode || (a.id < b.id ? -1 : 1))
    .filter(
      ({ typeCode, id }) => after === undefined || typeCode > after[0] || (typeCode === after[0] && id > after[1]),
    );
}

function stateOf(
  wanted: readonly ResourceKey[],
  from: number,
  after: [number, string] | undefined,
): ReferencedState | undefined {
  const left = wanted.slice(from);
  if (left.length === 0) return undefined;
  if (left.length > maxKeysInLink) {
    const last = wanted[from - 1];
    return { after: last ? [last.typeCode, last.id] : (after ?? [0, '']) };
  }
  const bytes = new Map<number, Buffer[]>();
  for (const { typeCode, id } of left)
    bytes.set(typeCode, [...(bytes.get(typeCode) ?? []), Buffer.from(id.replaceAll('-', ''), 'hex')]);
  return {
    keys: Object.fromEntries(
      [...bytes].map(([typeCode, ids]) => [String(typeCode), Buffer.concat(ids).toString('base64url')]),
    ),
  };
}

function keysIn(keys: Readonly<Record<string, string>>): ResourceKey[] {
  return Object.entries(keys).flatMap(([typeCode, ids]) => {
    const hex = Buffer.from(ids, 'base64url').toString('hex');
    return (hex.match(/.{32}/g) ?? []).map((id) => ({
      typeCode: Number(typeCode),
      id: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    }));
  });
}

async function outsideKeys(request: FhirRequest, members: Filter): Promise<ResourceKey[]> {
  const patient = typeCodeOf(request.release, 'Patient');
  const inside = new Set<string>();
  const targets = new Map<string, ResourceKey>();
  const note = (value: JsonValue): void => {
    for (const target of targetsIn(request, value))
      if (target.typeCode !== patient) targets.set(keyText(target), target);
  };
  for await (const found of matching(request.record, members)) {
    inside.add(keyText(found));
    note(found.resource);
  }
  const outside = new Map<string, ResourceKey>();
  for (let fresh = [...targets.values()]; fresh.length > 0;) {
    fresh = fresh.filter((key) => !inside.has(keyText(key)) && !outside.has(keyText(key)));
    for (const key of fresh) outside.set(keyText(key), key);
    targets.clear();
    for await (const chunk of readManyInChunks(request.record, fresh)) {
      for (const { typeCode, id, json } of chunk) if (json) note(new SearchMatch(typeCode, id, json).resource);
    }
    fresh = [...targets.values()];
  }
  return [...outside.values()];
}

function* targetsIn(request: FhirRequest, value: JsonValue): Generator<ResourceKey> {
  if (Array.isArray(value)) {
    for (const item of value) yield* targetsIn(request, item);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'reference' && typeof member === 'string') {
        const target = ownTarget(request, member.split('/_history/')[0] ?? '');
        if (target) yield target;
      } else if (typeof member === 'object' && member !== null) yield* targetsIn(request, member);
    }
  }
}
