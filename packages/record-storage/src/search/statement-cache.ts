import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Statement } from '../postgres/statement';

/**
 * A shape is the SQL text of a search without its values. Each connection keeps a prepared statement until it closes,
 * with a plan for all partitions: about a third of a megabyte for a search over 16 partitions. The number of prepared
 * shapes is therefore limited; ordinary requests use fewer.
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
 * When the maximum is reached, a new shape replaces the least recently used one, if that one has been idle for longer
 * than this time in milliseconds.
 */
const MIN_IDLE_MS = 3_600_000;

/** The prepared shapes by text, in the order of their last use. `usedAt` is in milliseconds of `performance.now()`. */
const shapes = new Map<string, { readonly statement: Statement; readonly usedAt: number }>();
const uses = new LRUCache<string, number>({ max: MAX_COUNTED_SHAPES });

/** A statement that is prepared if its shape is used repeatedly. Texts contain no values. */
export function prepared(purpose: string, text: string): Statement {
  const statement = shapes.get(text)?.statement ?? newShape(purpose, text);
  if (statement.name === undefined) return statement;
  shapes.delete(text);
  shapes.set(text, { statement, usedAt: performance.now() });
  return statement;
}

/** The statement of a shape, without a name if it is not to be prepared. */
function newShape(purpose: string, text: string): Statement {
  if (text.length > MAX_SHAPE_LENGTH || !canPrepareAnother()) return { text };
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const used = (uses.get(hash) ?? 0) + 1;
  uses.set(hash, used);
  return used < MIN_USES ? { text } : { name: `${purpose}-${hash}`, text };
}

/** Whether another shape may be prepared; removes an idle one if necessary. */
function canPrepareAnother(): boolean {
  if (shapes.size < MAX_SHAPES) return true;
  const [[text, { usedAt }]] = shapes as unknown as [[string, { usedAt: number }]];
  if (performance.now() - usedAt < MIN_IDLE_MS) return false;
  return shapes.delete(text);
}

/**
 * Like `prepared`, for a statement on one record whose first parameter is the user. If the statement is not prepared,
 * the user becomes a literal of the text, so that PostgreSQL plans for one partition.
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
