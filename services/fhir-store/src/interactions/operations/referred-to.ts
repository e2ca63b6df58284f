import { type JsonValue, isJsonObject } from '@tributary/fhir-json';
import { type ResourceKey, kindOf, typeOfKind } from '@tributary/record-storage';
import type { Call } from '../../http/call';
import type { Filter } from '../search/criteria';
import { Found } from '../search/found';
import { ownTarget } from '../search/includes';
import { PageLimit } from '../search/page-limit';
import { readManyInChunks } from '../search/read-chunks';
import { matching } from '../search/resolve-links';

export interface ReferredRequest {
  /** Empty: all. */
  readonly types: readonly string[];
  readonly since: number | undefined;
  readonly after: readonly [kind: number, id: string] | undefined;
  readonly limit: number;
}

/** What the members of a compartment refer to outside it, directly or through each other, but for other patients; in the order of kind and id. */
export async function referredTo(call: Call, members: Filter, { types, since, after, limit }: ReferredRequest): Promise<{ found: Found[]; more: boolean }> {
  const outside = await keysOutside(call, members);
  const wanted = outside
    .filter(({ kind }) => types.length === 0 || types.includes(typeOfKind(kind)))
    .toSorted((a, b) => a.kind - b.kind || (a.id < b.id ? -1 : 1))
    .filter(({ kind, id }) => after === undefined || kind > after[0] || (kind === after[0] && id > after[1]));
  if (limit === 0) return { found: [], more: wanted.length > 0 };
  const room = new PageLimit(limit);
  const found: Found[] = [];
  for await (const chunk of readManyInChunks(call.record, wanted)) {
    for (const { kind, id, line, lastUpdated } of chunk) {
      if (!line || (since !== undefined && lastUpdated < since)) continue;
      if (!room.takes(line.length)) return { found, more: true };
      found.push(new Found(kind, id, line));
    }
  }
  return { found, more: false };
}

async function keysOutside(call: Call, members: Filter): Promise<ResourceKey[]> {
  const patient = kindOf(call.release, 'Patient');
  const inside = new Set<string>();
  const targets = new Map<string, ResourceKey>();
  const note = (value: JsonValue): void => {
    for (const target of targetsIn(call, value)) if (target.kind !== patient) targets.set(keyText(target), target);
  };
  for await (const found of matching(call.record, members)) {
    inside.add(keyText(found));
    note(found.resource);
  }
  const outside = new Map<string, ResourceKey>();
  for (let fresh = [...targets.values()]; fresh.length > 0; ) {
    fresh = fresh.filter((key) => !inside.has(keyText(key)) && !outside.has(keyText(key)));
    for (const key of fresh) outside.set(keyText(key), key);
    targets.clear();
    for await (const chunk of readManyInChunks(call.record, fresh)) {
      for (const { kind, id, line } of chunk) if (line) note(new Found(kind, id, line).resource);
    }
    fresh = [...targets.values()];
  }
  return [...outside.values()];
}

function* targetsIn(call: Call, value: JsonValue): Generator<ResourceKey> {
  if (Array.isArray(value)) {
    for (const item of value) yield* targetsIn(call, item);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'reference' && typeof member === 'string') {
        const target = ownTarget(call, member.split('/_history/')[0] ?? '');
        if (target) yield target;
      } else if (typeof member === 'object' && member !== null) yield* targetsIn(call, member);
    }
  }
}

function keyText({ kind, id }: ResourceKey): string {
  return `${kind}/${id}`;
}
