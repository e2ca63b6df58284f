import { createHash } from 'node:crypto';
import type { ClientMode } from '@tributary/contracts';
import { inTransaction } from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';
import type { DirectoryEntry } from '../directory/directory-entry';
import { bumpVersion } from '../directory/read-directory';
import type { Validators } from './file-source';
import type { Candidate } from './merge-entries';
import { selectSource } from './sources';

/** The load would remove too many entries and was rolled back. */
export class LoadRefused extends Error {
  override readonly name = 'LoadRefused';
}

export interface Storing {
  source: string;
  origin: string;
  /** When the source was last loaded before the file was read. */
  loadedAt: string | undefined;
  mode: ClientMode | undefined;
  force: boolean;
  validators: Validators;
}

/** The largest share of the entries of a source that a load may remove. */
const maxRemovedShare = 1 / 5;
const batchSize = 500;
const columns = ['name', 'sort_key', 'address', 'aliases', 'addresses', 'parents', 'portals', 'logo', 'endpoints'];
const listOf = (table: string): string => columns.map((column) => `${table}.${column}`).join(', ');

/**
 * Replaces the entries of a source, in one transaction. Entries that are known from earlier loads keep their ids. An
 * advisory lock serializes loads; searches are not blocked.
 * @returns undefined when another load of the source has ended since the file was read
 * @throws LoadRefused when more than a fifth of the source's entries would be removed, or none would be left
 */
export function storeEntries(
  pool: Pool,
  entries: Iterable<Candidate>,
  { source, origin, loadedAt, mode, force, validators }: Storing,
): Promise<{ added: number; changed: number; removed: number } | undefined> {
  return inTransaction(pool, async (client) => {
    // Behind a connection pooler the timeouts are settings of the role; a load may run longer.
    await client.query(
      'set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0',
    );
    await client.query(`select pg_advisory_xact_lock(hashtextextended('load the directory of health systems', 0))`);
    if ((await selectSource(client, source))?.loaded_at !== loadedAt) return undefined;
    const total = await stage(client, entries);
    await assignKnownIds(client, source);
    if (!force) await assertSafeToApply(client, { source, origin, total });

    await client.query(
      `insert into source (name, origin, etag, last_modified, mode) values ($1, $2, $3, $4, coalesce($5::text, 'live'))
       on conflict (name) do update set origin = excluded.origin, etag = excluded.etag, last_modified = excluded.last_modified,
         loaded_at = clock_timestamp(), mode = coalesce($5::text, source.mode)`,
      [source, origin, validators.etag ?? null, validators.lastModified ?? null, mode ?? null],
    );
    const counts = await apply(client, source);
    if (mode !== undefined || counts.removed + counts.changed + counts.added > 0) await client.query(bumpVersion);
    return counts;
  });
}

/**
 * Writes the entries into temporary tables, which are dropped at the end of the transaction.
 * @returns their number
 */
async function stage(client: PoolClient, entries: Iterable<Candidate>): Promise<number> {
  await client.query(`
    create temporary table staged_entry (
      ordinal int primary key, health_system_id bigint unique, name text not null, sort_key text collate "C" not null, address text not null, aliases jsonb not null,
      addresses jsonb not null, parents jsonb not null, portals jsonb not null, logo text, endpoints jsonb not null
    ) on commit drop;
    create temporary table staged_key (entry int not null, rank int not null, key text not null, primary key (entry, key)) on commit drop`);
  let total = 0;
  let rows: object[] = [];
  const write = async (): Promise<void> => {
    await client.query(
      `with staged as (
        select * from jsonb_to_recordset($1::jsonb) as staged (
          ordinal int, name text, sort_key text, address text, aliases jsonb, addresses jsonb, parents jsonb, portals jsonb, logo text, endpoints jsonb, keys jsonb
        )
      ), entries as (
        insert into staged_entry (ordinal, ${columns.join(', ')}) select ordinal, ${listOf('staged')} from staged
      )
      insert into staged_key (entry, rank, key)
      select staged.ordinal, (one ->> 'rank')::int, one ->> 'key' from staged cross join lateral jsonb_array_elements(staged.keys) as one
      on conflict do nothing`,
      [JSON.stringify(rows)],
    );
    rows = [];
  };
  for (const candidate of entries) {
    rows.push(rowOf(candidate, ++total));
    if (rows.length === batchSize) await write();
  }
  await write();
  return total;
}

/**
 * Ranks of keys by reliability: the fullUrl of the resource, or name and address of a row; its id, or the organization
 * and the postal code of a row; a fingerprint of the entry.
 */
const keyRanks = [0, 1, 2] as const;
const weakKey = /^(?:Organization\/|npi:|address:)/;

function rowOf({ keys, sortKey, entry }: Candidate, ordinal: number): object {
  const rankedKeys = [
    ...keys.map((key) => ({ rank: weakKey.test(key) ? 1 : 0, key })),
    { rank: 2, key: `same:${fingerprint(sortKey, entry)}` },
  ];
  return { ...entry, ordinal, sort_key: sortKey, keys: rankedKeys };
}

/** Hashes the fields that distinguish an entry; the order of its endpoints is irrelevant. */
function fingerprint(sortKey: string, { address, endpoints }: DirectoryEntry): string {
  const sorted = endpoints.map(({ fhirVersion, fhir_base_url }) => `${fhirVersion} ${fhir_base_url}`).sort();
  return createHash('sha256')
    .update(JSON.stringify([sortKey, address, sorted]))
    .digest('base64url');
}

/** With statistics that say all ids are NULL, the planner chooses nested loop joins. */
const analyzeStagedIds = 'analyze staged_entry (ordinal, health_system_id)';

/** Assigns the ids of earlier loads by the keys, the most reliable first. Keys of several entries are ignored. */
async function assignKnownIds(client: PoolClient, source: string): Promise<void> {
  await client.query(`
    delete from staged_key where key in (select key from staged_key group by key having count(*) > 1);
    analyze staged_key; analyze staged_entry`);
  for (const rank of keyRanks) {
    await client.query(
      `update staged_entry entry set health_system_id = known.id
       from (
         select distinct on (id) entry, id from (
           select key.entry, min(known.health_system_id) as id
           from staged_key key
           join staged_entry on staged_entry.ordinal = key.entry and staged_entry.health_system_id is null
           join health_system_key known on known.source = $1 and known.key = key.key
           where key.rank = $2 and not exists (select from staged_entry taken where taken.health_system_id = known.health_system_id)
           group by key.entry
         ) found
         order by id, entry
       ) known
       where entry.ordinal = known.entry`,
      [source, rank],
    );
    await client.query(analyzeStagedIds);
  }
}

async function assertSafeToApply(
  client: PoolClient,
  { source, origin, total }: { source: string; origin: string; total: number },
): Promise<void> {
  const { rows } = await client.query<{ present: number; removed: number }>(
    `select count(*)::int as present,
       count(*) filter (where not exists (select from staged_entry entry where entry.health_system_id = known.id))::int as removed
     from health_system known where source = $1 and removed_at is null`,
    [source],
  );
  const { present, removed } = rows[0]!;
  if (total === 0)
    throw new LoadRefused(
      `${origin} holds no health system that can be used${present > 0 ? `; all ${present} of ${source} would be removed` : ''}. Use --force if that is meant`,
    );
  if (removed > present * maxRemovedShare)
    throw new LoadRefused(
      `${origin} would remove ${removed} of the ${present} health systems of ${source}, more than a fifth. Use --force if that is meant`,
    );
}

async function apply(client: PoolClient, source: string): Promise<{ added: number; changed: number; removed: number }> {
  const run = async (statement: string, values: unknown[] = [source]): Promise<number> =>
    (await client.query(statement, values)).rowCount ?? 0;
  // The rows of removed entries stay, so that their ids are never reused.
  const removed = await run(`
    update health_system known set removed_at = now()
    where source = $1 and removed_at is null and not exists (select from staged_entry entry where entry.health_system_id = known.id)`);
  // Also removed entries that are published again.
  const changed = await run(
    `update health_system known set (${columns.join(', ')}, changed_at, removed_at) = (${listOf('entry')}, now(), null)
     from staged_entry entry
     where entry.health_system_id = known.id and (known.removed_at is not null or (${listOf('known')}) is distinct from (${listOf('entry')}))`,
    [],
  );
  const added = await run(`
    with numbered as (
      update staged_entry set health_system_id = nextval(pg_get_serial_sequence('health_system', 'id')) where health_system_id is null
      returning staged_entry.*
    )
    insert into health_system (id, source, ${columns.join(', ')}) overriding system value
    select numbered.health_system_id, $1, ${listOf('numbered')} from numbered`);
  await client.query(analyzeStagedIds);
  // Keys of removed entries stay, so that they are recognized again.
  await run(`
    delete from health_system_key known using staged_entry entry
    where known.source = $1 and known.health_system_id = entry.health_system_id and not exists (select from staged_key key where key.key = known.key)`);
  await run(`
    insert into health_system_key (source, key, health_system_id)
    select $1, key.key, entry.health_system_id
    from staged_key key
    join staged_entry entry on entry.ordinal = key.entry
    left join health_system_key known on known.source = $1 and known.key = key.key
    where known.health_system_id is distinct from entry.health_system_id
    on conflict (source, key) do update set health_system_id = excluded.health_system_id`);
  return { added, changed, removed };
}
