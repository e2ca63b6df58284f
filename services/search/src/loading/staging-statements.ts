/** Creates the temporary tables of a load, which are dropped at the end of its transaction. */
export const createStaging = `
  create temporary table staged_endpoint (
    ordinal int primary key, keys jsonb not null, offers jsonb not null,
    content_hash text generated always as (md5(keys::text || offers::text)) stored unique
  ) on commit drop;
  create temporary table staged_organization (
    ordinal int primary key, key text not null unique, keys jsonb not null, sort_key text collate "C" not null,
    part_of jsonb not null, endpoint_keys jsonb not null, content jsonb not null
  ) on commit drop;
  create temporary table staged_entry (
    ordinal int primary key, health_system_id bigint unique, name text not null, sort_key text collate "C" not null, address text not null, aliases jsonb not null,
    addresses jsonb not null, parents jsonb not null, portals jsonb not null, logo text, endpoints jsonb not null
  ) on commit drop;
  create temporary table staged_key (entry int not null, rank int not null, key text not null, primary key (entry, key)) on commit drop;
`;

/** Returns how the releases of the inserted rows were found. An equal endpoint is not inserted again. */
export const stageEndpoints = `
  with staged as (
    select * from jsonb_to_recordset($1::jsonb) as staged (ordinal int, keys jsonb, offers jsonb, found_by text)
  ), inserted as (
    insert into staged_endpoint (ordinal, keys, offers)
    select ordinal, keys, offers from staged order by ordinal
    on conflict (content_hash) do nothing
    returning ordinal
  )
  select staged.found_by from inserted join staged using (ordinal)`;

/** Returns the ordinals of the inserted rows; a second organization with the same key is not inserted. */
export const stageOrganizations = `
  insert into staged_organization
  select ordinal, key, keys, sort_key, part_of, endpoint_keys, content
  from jsonb_to_recordset($1::jsonb) as staged (ordinal int, key text, keys jsonb, sort_key text, part_of jsonb, endpoint_keys jsonb, content jsonb)
  order by ordinal
  on conflict (key) do nothing
  returning ordinal`;

/**
 * Resolves references to endpoints and parents. A key that names two different resources is ignored. An organization
 * without a usable endpoint of its own inherits those of its nearest ancestor that has some. At most eight ancestors
 * are followed, which also ends cycles.
 */
export const resolveReferences = `
  analyze staged_endpoint; analyze staged_organization;

  create temporary table endpoint_by_key on commit drop as
    select any_key.key, min(ordinal) as ordinal from staged_endpoint, jsonb_array_elements_text(keys) as any_key (key)
    group by any_key.key having count(distinct offers) = 1;
  create temporary table organization_by_key on commit drop as
    select any_key.key, min(ordinal) as ordinal from staged_organization, jsonb_array_elements_text(keys) as any_key (key)
    group by any_key.key having count(*) = 1;
  analyze endpoint_by_key; analyze organization_by_key;

  create temporary table direct_offers on commit drop as
    select found.ordinal, jsonb_agg(offer.value order by found.position, offer.position) as offers
    from (
      select distinct on (organization.ordinal, reference.position) organization.ordinal, reference.position, endpoint_by_key.ordinal as endpoint
      from staged_organization organization
      cross join lateral jsonb_array_elements(organization.endpoint_keys) with ordinality as reference (keys, position)
      cross join lateral jsonb_array_elements_text(reference.keys) with ordinality as meant (key, preference)
      join endpoint_by_key on endpoint_by_key.key = meant.key
      order by organization.ordinal, reference.position, meant.preference
    ) found
    join staged_endpoint on staged_endpoint.ordinal = found.endpoint
    cross join lateral jsonb_array_elements(staged_endpoint.offers) with ordinality as offer (value, position)
    group by found.ordinal;
  create unique index on direct_offers (ordinal);

  create temporary table parent on commit drop as
    select distinct on (organization.ordinal) organization.ordinal, organization_by_key.ordinal as parent
    from staged_organization organization
    cross join lateral jsonb_array_elements_text(organization.part_of) with ordinality as meant (key, preference)
    join organization_by_key on organization_by_key.key = meant.key
    where organization_by_key.ordinal <> organization.ordinal
    order by organization.ordinal, meant.preference;
  create unique index on parent (ordinal);
  analyze direct_offers; analyze parent;

  create temporary table ancestry on commit drop as
    with recursive up (ordinal, ancestor, depth) as (
      select ordinal, parent, 1 from parent
      union all
      select up.ordinal, parent.parent, up.depth + 1 from up join parent on parent.ordinal = up.ancestor where up.depth < 8 and parent.parent <> up.ordinal
    )
    select up.ordinal, jsonb_agg(ancestor.content ->> 'name' order by up.depth) as parents,
      (array_agg(direct_offers.offers order by up.depth) filter (where direct_offers.offers is not null))[1] as offers
    from up join staged_organization ancestor on ancestor.ordinal = up.ancestor
    left join direct_offers on direct_offers.ordinal = up.ancestor
    group by up.ordinal;
  create unique index on ancestry (ordinal);
  analyze ancestry;
`;

/** Cursor over the organizations by sort key, so that equal names follow one another. */
export const readOrganizations = `
  declare organizations no scroll cursor for
  select organization.keys, organization.sort_key, organization.endpoint_keys, organization.content, coalesce(direct.offers, ancestry.offers) as offers, coalesce(ancestry.parents, '[]') as parents
  from staged_organization organization
  left join direct_offers direct using (ordinal)
  left join ancestry using (ordinal)
  order by organization.sort_key, organization.ordinal`;

export const stageEntries = `
  with staged as (
    select * from jsonb_to_recordset($1::jsonb) as staged (
      ordinal int, name text, sort_key text, address text, aliases jsonb, addresses jsonb, parents jsonb, portals jsonb, logo text, endpoints jsonb, keys jsonb
    )
  ), entries as (
    insert into staged_entry (ordinal, name, sort_key, address, aliases, addresses, parents, portals, logo, endpoints)
    select ordinal, name, sort_key, address, aliases, addresses, parents, portals, logo, endpoints from staged
  )
  insert into staged_key (entry, rank, key)
  select staged.ordinal, (one ->> 'rank')::int, one ->> 'key' from staged cross join lateral jsonb_array_elements(staged.keys) as one
  on conflict do nothing`;

/** Deletes keys that more than one entry has. */
export const deleteSharedKeys = `
  delete from staged_key where key in (select key from staged_key group by key having count(*) > 1);
  analyze staged_key; analyze staged_entry`;

/** Assigns known ids to entries without an id by their keys of one rank; $1 source, $2 rank. */
export const matchKnownEntries = `
  update staged_entry entry set health_system_id = known.id
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
  where entry.ordinal = known.entry`;

/** Run after ids were assigned: with statistics that say all ids are NULL, the planner chooses nested loop joins. */
export const analyzeStagedIds = 'analyze staged_entry (ordinal, health_system_id)';
