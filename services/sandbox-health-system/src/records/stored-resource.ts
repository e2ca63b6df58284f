import { createHash } from 'node:crypto';
import { afterSpace, membersAt } from './json-text';

/** One resource of a record, as the text in which it is served. */
export interface StoredResource {
  type: string;
  id: string;
  text: string;
  /** Epoch milliseconds. */
  lastUpdated: number;
  versionId: string;
}

interface ResourceHead {
  resourceType?: unknown;
  id?: unknown;
  meta?: { versionId?: unknown; lastUpdated?: unknown } | null;
}

/**
 * Prepares a source resource for serving: the text stays as it is, but `id`, `meta.versionId` and `meta.lastUpdated`
 * are inserted where they are missing. Undefined when the text is not a resource.
 */
export function storedResource(source: string, lastUpdated: number, version = '1'): StoredResource | undefined {
  const head = parsed(source);
  if (!head || typeof head.resourceType !== 'string') return undefined;
  const brace = afterSpace(source, 0);
  const additions: string[] = [];
  let text = source.slice(brace).trimEnd();

  const id = typeof head.id === 'string' ? head.id : idOf(text);
  if (head.id === undefined) additions.push(`"id":${JSON.stringify(id)}`);

  const updated = Date.parse(String(head.meta?.lastUpdated));
  const known = Number.isNaN(updated) ? lastUpdated : updated;
  const versionId = typeof head.meta?.versionId === 'string' ? head.meta.versionId : version;
  const meta: string[] = [];
  if (head.meta?.versionId === undefined) meta.push(`"versionId":"${versionId}"`);
  if (head.meta?.lastUpdated === undefined) meta.push(`"lastUpdated":"${new Date(known).toISOString()}"`);
  if (head.meta === undefined) additions.push(`"meta":{${meta.join(',')}}`);
  else if (meta.length > 0 && typeof head.meta === 'object' && head.meta !== null)
    text = withMembers(text, metaBrace(text), meta);

  if (additions.length > 0) text = withMembers(text, 0, additions);
  return { type: head.resourceType, id, text, lastUpdated: known, versionId };
}

/** Inserts members at the start of the object whose opening brace is at `brace`. */
function withMembers(text: string, brace: number, members: string[]): string {
  const empty = text[afterSpace(text, brace + 1)] === '}';
  return `${text.slice(0, brace + 1)}${members.join(',')}${empty ? '' : ','}${text.slice(brace + 1)}`;
}

function metaBrace(text: string): number {
  return membersAt(text, 0).find((member) => member.name === 'meta')!.start;
}

/** The id of a resource without one: a hash of the content, so that it is stable over restarts. */
function idOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function parsed(text: string): ResourceHead | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ResourceHead) : undefined;
  } catch {
    return undefined;
  }
}
