import { setTimeout as sleep } from 'node:timers/promises';
import { ContentionError, RecordDestroyedError } from '../errors';
import type { RecordKeys } from '../keys/record-keys';
import { type Queryable, type Statement, affectedRows, run } from '../postgres/statement';

const findHealthSystems: Statement = {
  name: 'record-health-systems',
  text: `SELECT health_systems, destroyed_at IS NOT NULL FROM fhir_store.record WHERE user_id = $1`,
};
/** $1 user, $2 the value that was read, $3 the new value */
const replaceHealthSystems: Statement = {
  name: 'record-health-systems-replace',
  text: `
    UPDATE fhir_store.record SET health_systems = $3
    WHERE user_id = $1 AND health_systems IS NOT DISTINCT FROM $2 AND destroyed_at IS NULL`,
};

const ATTEMPTS = 20;

/** The health systems that this process knows to be noted. None is ever removed. */
const noted = new WeakMap<RecordKeys, Set<number>>();

/** The ids of the health systems from which a record was collected. @throws RecordDestroyedError, UnsealingError */
export async function readHealthSystems(queryable: Queryable, keys: RecordKeys): Promise<readonly number[]> {
  return opened(keys, await readSealed(queryable, keys));
}

/**
 * Notes that a record was collected from a health system. Processes that note several at once repeat the comparison, so
 * that none is lost.
 * @throws RecordDestroyedError, ContentionError, UnsealingError
 */
export async function noteHealthSystem(queryable: Queryable, keys: RecordKeys, id: number): Promise<void> {
  if (noted.get(keys)?.has(id)) return;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const sealed = await readSealed(queryable, keys);
    const known = opened(keys, sealed);
    if (known.includes(id)) return remember(keys, known);
    const replaced = keys.sealText('health systems', JSON.stringify([...known, id]));
    if ((await affectedRows(queryable, replaceHealthSystems, [keys.userId, sealed, replaced])) > 0)
      return remember(keys, [...known, id]);
    await sleep(Math.random() * 10 * attempt);
  }
  throw new ContentionError();
}

function remember(keys: RecordKeys, ids: readonly number[]): void {
  noted.set(keys, new Set(ids));
}

async function readSealed(queryable: Queryable, keys: RecordKeys): Promise<Buffer | null> {
  const [row] = await run(queryable, findHealthSystems, [keys.userId]);
  if (row?.[1] === true) throw new RecordDestroyedError(keys.userId);
  return (row?.[0] ?? null) as Buffer | null;
}

function opened(keys: RecordKeys, sealed: Buffer | null): readonly number[] {
  return sealed === null ? [] : (JSON.parse(keys.openText('health systems', sealed)) as number[]);
}
