import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Pool } from 'pg';
import { integerArray, uuidArray } from '../postgres/binary-arrays';
import { type Row, type Statement, run } from '../postgres/statement';
import type { TypeCode } from '../type-codes';

/** The maximum of uncompressed bytes of the blocks that one statement reads. A single block may be larger. */
const MAX_GROUP_BYTES = 262_144;
/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 4;

/** Rows of one type code, with the contents of their blocks. */
export interface StoredRows {
  readonly typeCode: TypeCode;
  readonly rows: readonly Row[];
}

/**
 * Reads listed rows again with the contents of their blocks, those of a few blocks at a time.
 * @param listed columns type_code, id, version, block_id, plain_bytes; sorted by type code and block
 * @param statement $1 user, $2 type code, $3 ids, $4 versions
 */
export async function* readInGroups(
  pool: Pool,
  userId: number,
  listed: readonly Row[],
  statement: Statement,
): AsyncGenerator<StoredRows> {
  for (const group of groupsOf(listed)) {
    const typeCode = group[0]?.[0] as TypeCode;
    const ids = uuidArray(group.map(([, id]) => id as string));
    const versions = integerArray(group.map(([, , version]) => version as number));
    yield { typeCode, rows: await run(pool, statement, [userId, typeCode, ids, versions]) };
  }
}

function groupsOf(listed: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  let bytes = Infinity;
  let last: Row | undefined;
  for (const row of listed) {
    const [typeCode, , , blockId, plainBytes] = row;
    if (last?.[0] !== typeCode || last?.[3] !== blockId) {
      if (last?.[0] !== typeCode || bytes + Number(plainBytes) > MAX_GROUP_BYTES) {
        groups.push([]);
        bytes = 0;
      }
      bytes += Number(plainBytes);
    }
    (groups.at(-1) as Row[]).push(row);
    last = row;
  }
  return groups;
}

/** The items, with a yield to the event loop after some work on them. */
export async function* inSlices<T>(items: readonly T[]): AsyncGenerator<T> {
  let sliceEnds = performance.now() + SLICE_MS;
  for (const item of items) {
    yield item;
    if (performance.now() < sliceEnds) continue;
    await yieldToEventLoop();
    sliceEnds = performance.now() + SLICE_MS;
  }
}
