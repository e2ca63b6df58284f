import { type Statement } from '../postgres/statement';
import { contentOncePerBlock } from '../read/stored-version';

/** $1 user, $2 type code and $3 block before. Columns: type_code, block_id, entry_count, content */
export const nextBlock: Statement = {
  name: 'verify-block',
  text: `
    SELECT type_code, block_id, entry_count, content FROM fhir_store.block
    WHERE user_id = $1 AND (type_code, block_id) > ($2::smallint, $3::bigint) ORDER BY type_code, block_id LIMIT 1`,
};

/** How versions of one table are listed and read. */
export interface VersionStatements {
  /**
   * $1 user, $2 type code, $3 id and $4 version before, $5 limit. Columns: type_code, id, version, block_id,
   * plain_bytes
   */
  readonly list: Statement;
  /**
   * Rows with the contents of their blocks, as one snapshot. $1 user, $2 type code, $3 ids, $4 versions. Columns: those
   * of a version, then blind_terms, ranges, index_version (null in the history)
   */
  readonly read: Statement;
}

const versionStatements = (name: string, table: string, condition: string, index: string): VersionStatements => ({
  list: {
    name: `verify-list-${name}`,
    text: `
      SELECT v.type_code, v.id, v.version, v.block_id, coalesce(b.plain_bytes, 0) FROM (
        SELECT type_code, id, version, block_id FROM fhir_store.${table}
        WHERE user_id = $1 AND (type_code, id, version) > ($2::smallint, $3::uuid, $4::integer) AND ${condition}
        ORDER BY type_code, id, version LIMIT $5
      ) v
      LEFT JOIN fhir_store.block b ON b.user_id = $1 AND b.type_code = v.type_code AND b.block_id = v.block_id
      ORDER BY v.type_code, v.id, v.version`,
  },
  read: {
    name: `verify-read-${name}`,
    text: `
      SELECT r.type_code, r.id, r.version, r.last_updated, false AS deleted, r.block_id, r.slot, ${contentOncePerBlock('r')}, ${index}
      FROM unnest($3::uuid[], $4::integer[]) AS w (id, version)
      CROSS JOIN LATERAL (
        SELECT * FROM fhir_store.${table} WHERE user_id = $1 AND type_code = $2 AND id = w.id AND version = w.version AND ${condition} LIMIT 1
      ) r`,
  },
});

export const currentVersions = versionStatements(
  'current',
  'resource',
  'true',
  'r.blind_terms, r.ranges, r.index_version',
);
export const supersededVersions = versionStatements('history', 'resource_history', 'NOT deleted', 'NULL, NULL, NULL');

/**
 * Resources whose versions are not 1 to n, each once, or whose latest version is not the only one in force. One
 * statement, so one snapshot. $1 user. Columns: type_code, id, whether versions are missing or stored twice
 */
export const listBrokenHistories: Statement = {
  name: 'verify-histories',
  text: `
    SELECT type_code, id, min(version) <> 1 OR count(*) <> max(version) OR count(DISTINCT version) <> count(*) FROM (
      SELECT type_code, id, version, true AS in_force FROM fhir_store.resource WHERE user_id = $1
      UNION ALL
      SELECT type_code, id, version, superseded_at IS NULL FROM fhir_store.resource_history WHERE user_id = $1
    ) v
    GROUP BY type_code, id
    HAVING min(version) <> 1 OR count(*) <> max(version) OR count(DISTINCT version) <> count(*)
      OR count(*) FILTER (WHERE in_force) <> 1 OR max(version) FILTER (WHERE in_force) <> max(version)
    ORDER BY type_code, id`,
};
