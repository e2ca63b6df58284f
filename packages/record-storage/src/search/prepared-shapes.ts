import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Statement } from '../postgres/statement';

/**
 * Prepared statements stay in every connection for good, with a plan for all partitions: about a third of a megabyte for a search over 16 of them. So only
 * so many shapes are prepared; ordinary requests have fewer.
 */
const MAX_SHAPES = 100;
const MAX_SHAPE_LENGTH = 4000;
/** A shape is prepared when it comes so often while so many others are remembered: a crawl of odd searches takes no place. */
const MIN_USES = 2;
const MAX_COUNTED_SHAPES = 500;

/** When all places are taken, a shape takes that of one which did not come for so long: connections keep its plan for good. */
const MIN_IDLE_MS = 3_600_000;

/** In the order of their last use. */
const names = new Map<string, { readonly name: string; readonly usedAt: number }>();
const uses = new LRUCache<string, number>({ max: MAX_COUNTED_SHAPES });

/** Prepares the statement under a name of its own if its shape comes again; others are planned each time. Texts hold no values. */
export function prepared(purpose: string, text: string): Statement {
  const name = names.get(text)?.name ?? newName(purpose, text);
  if (name === undefined) return { text };
  names.delete(text);
  names.set(text, { name, usedAt: performance.now() });
  return { name, text };
}

function newName(purpose: string, text: string): string | undefined {
  if (text.length > MAX_SHAPE_LENGTH || !hasRoom()) return undefined;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const used = (uses.get(hash) ?? 0) + 1;
  uses.set(hash, used);
  if (used < MIN_USES) return undefined;
  return `${purpose}-${hash}`;
}

/** Whether there is a place for another shape; makes one if it can. */
function hasRoom(): boolean {
  if (names.size < MAX_SHAPES) return true;
  const [[text, { usedAt }]] = names as unknown as [[string, { usedAt: number }]];
  if (performance.now() - usedAt < MIN_IDLE_MS) return false;
  return names.delete(text);
}

/**
 * The same for a statement on one record, whose first parameter is the user. Where it is not prepared, the user stands in the text, so that PostgreSQL
 * plans for one partition only.
 */
export function preparedForUser(
  purpose: string,
  text: string,
  values: readonly unknown[],
): { statement: Statement; values: readonly unknown[] } {
  const statement = prepared(purpose, text);
  if (statement.name !== undefined) return { statement, values };
  const [user, ...others] = values;
  const literal = `${BigInt(user as number)}::bigint`;
  const ofOthers = text.replace(/\$(\d+)(::bigint)?/g, (_, placeholder: string, type = '') =>
    placeholder === '1' ? literal : `$${Number(placeholder) - 1}${type}`,
  );
  return { statement: { text: ofOthers }, values: others };
}
