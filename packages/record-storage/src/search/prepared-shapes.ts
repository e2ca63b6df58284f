import { createHash } from 'node:crypto';
import type { Statement } from '../postgres/statement';

/** Prepared statements stay in every connection for good, so only so many shapes of searches are prepared. */
const MOST_SHAPES = 300;
const LONGEST_SHAPE = 4000;
const names = new Map<string, string>();

/**
 * Prepares the statement under a name of its own if its shape is one of the first seen; others are planned each time.
 * Texts hold no values, so ordinary searches have few shapes.
 */
export function prepared(purpose: string, text: string): Statement {
  let name = names.get(text);
  if (name === undefined && names.size < MOST_SHAPES && text.length <= LONGEST_SHAPE) {
    name = `${purpose}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    names.set(text, name);
  }
  return name === undefined ? { text } : { name, text };
}
