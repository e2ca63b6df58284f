/** Counts the present entries of the source, and those that the load would remove; $1 source. */
export const countPlannedRemovals = `
  select
    (select count(*) from health_system where source = $1 and removed_at is null)::int as present,
    (select count(*) from health_system known where source = $1 and removed_at is null
      and not exists (select from staged_entry entry where entry.health_system_id = known.id))::int as removed`;

const columns = ['name', 'sort_key', 'address', 'aliases', 'addresses', 'parents', 'portals', 'logo', 'endpoints'];
const listOf = (table: string): string => columns.map((column) => `${table}.${column}`).join(', ');

/**
 * $1 source, $2 origin, $3 etag, $4 last_modified, $5 mode; without it the mode stays, and is `live` for a new source.
 */
export const upsertSource = `
  insert into source (name, origin, etag, last_modified, mode) values ($1, $2, $3, $4, coalesce($5::text, 'live'))
  on conflict (name) do update set origin = excluded.origin, etag = excluded.etag, last_modified = excluded.last_modified, loaded_at = now(),
    mode = coalesce($5::text, source.mode)`;

/**
 * Marks entries that are no longer published as removed. The rows stay, so that their ids are never reused; $1 source.
 */
export const markRemoved = `
  update health_system known set removed_at = now()
  where source = $1 and removed_at is null and not exists (select from staged_entry entry where entry.health_system_id = known.id)`;

/** Updates entries that differ, including removed ones that are published again. */
export const updateChanged = `
  update health_system known set (${columns.join(', ')}, changed_at, removed_at) = (${listOf('entry')}, now(), null)
  from staged_entry entry
  where entry.health_system_id = known.id and (known.removed_at is not null or (${listOf('known')}) is distinct from (${listOf('entry')}))`;

/** Inserts new entries, and stores their ids in the staged rows; $1 source. */
export const insertNew = `
  with numbered as (
    update staged_entry set health_system_id = nextval(pg_get_serial_sequence('health_system', 'id')) where health_system_id is null
    returning staged_entry.*
  )
  insert into health_system (id, source, ${columns.join(', ')}) overriding system value
  select numbered.health_system_id, $1, ${listOf('numbered')} from numbered`;

/**
 * Deletes keys of present entries that are no longer published. Keys of removed entries stay, so that they are
 * recognized again; $1 source.
 */
export const deleteStaleKeys = `
  delete from health_system_key known using staged_entry entry
  where known.source = $1 and known.health_system_id = entry.health_system_id and not exists (select from staged_key key where key.key = known.key)`;

/** $1 source. */
export const upsertKeys = `
  insert into health_system_key (source, key, health_system_id)
  select $1, key.key, entry.health_system_id
  from staged_key key
  join staged_entry entry on entry.ordinal = key.entry
  left join health_system_key known on known.source = $1 and known.key = key.key
  where known.health_system_id is distinct from entry.health_system_id
  on conflict (source, key) do update set health_system_id = excluded.health_system_id`;

/** PostgreSQL notification channel for a new version of the directory. */
export const changeChannel = 'search_directory_changed';

export const bumpVersion = `
  with bumped as (update directory_version set version = version + 1 returning version)
  select pg_notify('${changeChannel}', version::text) from bumped`;

/** Returns the first entries of a source by name; $1 source, $2 limit. */
export const selectFirstEntries = `
  select id::text, name, address, endpoints from health_system where source = $1 and removed_at is null
  order by sort_key, name, id limit $2`;
