import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { IndexValues } from '@tributary/fhir-search';
import type { Pool } from 'pg';
import { type BlindedValues, blindValues } from '../index-values/blinding';
import { flatIndexParameters } from '../index-values/flat-index';
import type { RecordKeys } from '../keys/record-keys';
import { integerArray, uuidArray } from '../postgres/binary-arrays';
import { run } from '../postgres/statement';
import { BlockEntries } from '../read/stored-version';
import type { TypeCode } from '../type-codes';
import { finishRecord, listOutdated, readRows, replaceIndex } from './reindex-statements';
import { type StoredRows, inSlices, readInGroups } from './stored-rows';

/** Extracts the index values of a resource from its JSON, by the present index rules. */
export type ExtractIndexValues = (typeCode: TypeCode, json: Buffer) => IndexValues;

/** The maximum number of rows that one statement lists. */
const ROWS_PER_STATEMENT = 10_000;

/**
 * Replaces the index values of a record's rows that obey older rules. The work may be interrupted anywhere, and may be
 * concurrent with writers and with other processes: a row is updated only if it still has the version that was read.
 * @param onProgress called after each group of rows; an exception ends the work
 * @returns the number of updated rows, and whether no row of older rules is left
 */
export async function reindexRecord(
  pool: Pool,
  keys: RecordKeys,
  extractIndexValues: ExtractIndexValues,
  onProgress: () => Promise<void>,
): Promise<{ rows: number; isCurrent: boolean }> {
  for (let rows = 0; ;) {
    const outdated = await run(pool, listOutdated, [keys.userId, ROWS_PER_STATEMENT]);
    let made = 0;
    for await (const group of readInGroups(pool, keys.userId, outdated, readRows)) {
      made += await reindexRows(pool, keys, extractIndexValues, group);
      await onProgress();
    }
    rows += made;
    if (outdated.length < ROWS_PER_STATEMENT || made === 0)
      return { rows, isCurrent: (await run(pool, finishRecord, [keys.userId])).length > 0 };
  }
}

async function reindexRows(
  pool: Pool,
  keys: RecordKeys,
  extractIndexValues: ExtractIndexValues,
  { typeCode, rows }: StoredRows,
): Promise<number> {
  const entries = new BlockEntries(keys);
  for (const [, , blockId, , content] of rows)
    if (content !== null) {
      entries.add(typeCode, blockId as string, content as Buffer);
      await yieldToEventLoop();
    }
  const values: BlindedValues[] = [];
  for await (const [id, version, blockId, slot] of inSlices(rows)) {
    const json = entries.entry(typeCode, id as string, version as number, blockId as string, slot as number);
    values.push(blindValues(keys, extractIndexValues(typeCode, json)));
  }
  const made = await run(pool, replaceIndex, [
    keys.userId,
    typeCode,
    uuidArray(rows.map(([id]) => id as string)),
    integerArray(rows.map(([, version]) => version as number)),
    ...flatIndexParameters(values),
  ]);
  return made.length;
}
