import { z } from 'zod';
import { ToolError } from './tool-error';

/** The order of an entry in a list: rank first, then time with the newest first, then the reference. */
export type Position = readonly [rank: number, time: number, reference: string];

/** The time in the position of an entry without a date: it sorts after every date. */
export const noTime = -8_640_000_000_000_000;

export function comparePositions(one: Position, other: Position): number {
  return one[0] - other[0] || other[1] - one[1] || (one[2] < other[2] ? -1 : one[2] > other[2] ? 1 : 0);
}

/** Entries whose text has at most this many characters are in one answer: about 4,000 tokens. */
export const maxAnswerCharacters = 16_000;

export interface Page<T> {
  shown: T[];
  nextCursor: string | undefined;
}

/**
 * The entries after a cursor, as many as fit into an answer, and at least one. The cursor is the position of the last
 * entry, so that what is inserted or deleted between two calls neither repeats nor hides another entry.
 * @param entries in the order of their positions
 * @throws ToolError when the cursor is not one of this tool
 */
export function pageOf<T extends { position: Position; text: string }>(
  tool: string,
  entries: readonly T[],
  cursor: string | undefined,
  limit: number,
): Page<T> {
  const after = cursor === undefined ? undefined : readCursor(tool, cursor, position);
  const rest = after === undefined ? entries : entries.filter((entry) => comparePositions(entry.position, after) > 0);
  const shown = fitting(rest.slice(0, limit));
  const last = shown.at(-1);
  return { shown, nextCursor: last && shown.length < rest.length ? writeCursor(tool, last.position) : undefined };
}

/** The first entries, as many as fit into an answer, and at least one. */
export function fitting<T extends { text: string }>(entries: readonly T[]): T[] {
  const shown: T[] = [];
  let characters = 0;
  for (const entry of entries) {
    characters += entry.text.length;
    if (shown.length > 0 && characters > maxAnswerCharacters) break;
    shown.push(entry);
  }
  return shown;
}

export interface Part {
  text: string;
  nextCursor: string | undefined;
  /** Such as `Characters 1 to 16000 of 20000`. */
  range: string;
}

/**
 * The part of a long text at a cursor, as much as fits into an answer.
 * @param noun of the text, for the message
 * @throws ToolError when the cursor is not one of this tool, or behind the end
 */
export function partOf(tool: string, text: string, cursor: string | undefined, noun: string): Part {
  const { offset: start } = cursor === undefined ? { offset: 0 } : readCursor(tool, cursor, offset);
  if (start > 0 && start >= text.length)
    throw new ToolError(`The cursor is behind the end of the ${noun}. Call again without it.`);
  const end = Math.min(text.length, start + maxAnswerCharacters);
  return {
    text: text.slice(start, end),
    nextCursor: end < text.length ? writeCursor(tool, { offset: end }) : undefined,
    range: `Characters ${start + 1} to ${end} of ${text.length}`,
  };
}

const offset = z.object({ offset: z.int().min(0) });
const position = z.tuple([z.number(), z.number(), z.string()]);

/** A cursor is not secret and not trusted: it only says where an answer continues. */
export function writeCursor(tool: string, value: unknown): string {
  return Buffer.from(JSON.stringify([tool, value])).toString('base64url');
}

/** @throws ToolError when the text is not a cursor of this tool and shape */
export function readCursor<T>(tool: string, cursor: string, shape: z.ZodType<T>): T {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return z.tuple([z.literal(tool), shape]).parse(content)[1];
  } catch {
    throw new ToolError(
      'The cursor is not valid. Use next_cursor of the previous answer of this tool unchanged, or leave the cursor out to begin at the start.',
    );
  }
}
