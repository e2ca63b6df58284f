import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Statement } from '../postgres/statement';

/**
 * A prepared statement stays in each connection until it is closed, with a plan for all partitions: about a third of a
 * megabyte for a search over 16 partitions. So the number of prepared shapes is limited; ordinary requests have fewer.
 */
const MAX_SHAPES = 100;
const MAX_SHAPE_LENGTH = 4000;
/**
 * A shape is prepared at its second use among the last 500 shapes, so that a crawl of unusual searches prepares
 * nothing.
 */
const MIN_USES = 2;
const MAX_COUNTED_SHAPES = 500;

/**
 * When the maximum is reached, a shape replaces the one that has been unused for longest, if for more than this time in
 * milliseconds.
 */
const MIN_IDLE_MS = 3_600_000;

/** In the order of their last use. */
const names = new Map<string, { readonly name: string; readonly usedAt: number }>();
const uses = new LRUCache<string, number>({ max: MAX_COUNTED_SHAPES });

/** A statement that is prepared if its shape is used repeatedly. Texts contain no values. */
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

/** Whether another shape may be prepared; removes an idle one if necessary. */
function hasRoom(): boolean {
  if (names.size < MAX_SHAPES) return true;
  const [[text, { usedAt }]] = names as unknown as [[string, { usedAt: number }]];
  if (performance.now() - usedAt < MIN_IDLE_MS) return false;
  return names.delete(text);
}

/**
 * The same for a statement on one record, whose first parameter is the user. If it is not prepared, the user is written
 * into the text, so that PostgreSQL plans for one partition.
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
