import type { Pool } from 'pg';
import { RecordDestroyedError } from '../errors';
import type { RecordKeys } from '../keys/record-keys';
import { type Queryable, type Statement, run } from '../postgres/statement';
import { inRecordTransaction } from '../write/record-transaction';

const findHealthSystems: Statement = {
  name: 'record-health-systems',
  text: `SELECT health_systems, destroyed_at IS NOT NULL FROM fhir_store.record WHERE user_id = $1`,
};
/** $1 user, $2 the value */
const replaceHealthSystems: Statement = {
  name: 'record-health-systems-replace',
  text: `UPDATE fhir_store.record SET health_systems = $2 WHERE user_id = $1`,
};

/** The health systems that this process knows to be noted. None is ever removed. */
const noted = new WeakMap<RecordKeys, Set<number>>();

/** The ids of the health systems from which a record was collected. @throws RecordDestroyedError, UnsealingError */
export async function readHealthSystems(queryable: Queryable, keys: RecordKeys): Promise<readonly number[]> {
  const [row] = await run(queryable, findHealthSystems, [keys.userId]);
  if (row?.[1] === true) throw new RecordDestroyedError(keys.userId);
  const sealed = (row?.[0] ?? null) as Buffer | null;
  return sealed === null ? [] : (JSON.parse(keys.openText('health systems', sealed)) as number[]);
}

/**
 * Notes that a record was collected from a health system. Processes that note several at once hold the lock of the
 * record, so that none is lost.
 * @throws RecordDestroyedError, ContentionError, UnsealingError
 */
export async function noteHealthSystem(pool: Pool, keys: RecordKeys, id: number): Promise<void> {
  if (noted.get(keys)?.has(id)) return;
  let known = await readHealthSystems(pool, keys);
  if (!known.includes(id))
    known = await inRecordTransaction(pool, keys.userId, async (queries) => {
      const all = [...new Set([...(await readHealthSystems(queries, keys)), id])];
      await run(queries, replaceHealthSystems, [keys.userId, keys.sealText('health systems', JSON.stringify(all))]);
      return all;
    });
  noted.set(keys, new Set(known));
}
