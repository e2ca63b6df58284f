import type { Statement } from '../postgres/statement';
import { contentOncePerBlock } from './stored-version';

/** The latest version of an existing resource. $1 user, $2 kind, $3 id */
export const readCurrent: Statement = {
  name: 'read-current',
  text: `
    SELECT r.type_code, r.id, r.version, r.last_updated, false AS deleted, r.block_id, r.slot, b.content
    FROM fhir_store.resource r JOIN fhir_store.block b ON b.user_id = $1 AND b.type_code = $2 AND b.block_id = r.block_id
    WHERE r.user_id = $1 AND r.type_code = $2 AND r.id = $3`,
};

/** The latest version of a resource, be it a deletion. $1 user, $2 kind, $3 id */
export const readLatest: Statement = {
  name: 'read-latest',
  text: `${readCurrent.text}
    UNION ALL
    SELECT type_code, id, version, last_updated, true, NULL, NULL, NULL FROM fhir_store.resource_history
    WHERE user_id = $1 AND type_code = $2 AND id = $3 AND deleted AND superseded_at IS NULL`,
};

/** One version of a resource. $1 user, $2 kind, $3 id, $4 version */
export const readVersion: Statement = {
  name: 'read-version',
  text: `
    WITH found AS (
      SELECT type_code, id, version, last_updated, false AS deleted, block_id, slot FROM fhir_store.resource
      WHERE user_id = $1 AND type_code = $2 AND id = $3 AND version = $4
      UNION ALL
      SELECT type_code, id, version, last_updated, deleted, block_id, slot FROM fhir_store.resource_history
      WHERE user_id = $1 AND type_code = $2 AND id = $3 AND version = $4
    )
    SELECT f.*, b.content FROM found f LEFT JOIN fhir_store.block b ON b.user_id = $1 AND b.type_code = $2 AND b.block_id = f.block_id`,
};

/**
 * Existing resources by their keys. $1 user, $2 kinds, $3 ids. The lateral subquery looks each key up by the primary key. As a join, PostgreSQL
 * may read every row of the user instead.
 */
export const readMany: Statement = {
  name: 'read-many',
  text: `
    SELECT r.type_code, r.id, r.version, r.last_updated, false AS deleted, r.block_id, r.slot, ${contentOncePerBlock('r')}
    FROM unnest($2::smallint[], $3::uuid[]) AS w (type_code, id)
    CROSS JOIN LATERAL (
      SELECT type_code, id, version, last_updated, block_id, slot FROM fhir_store.resource
      WHERE user_id = $1 AND type_code = w.type_code AND id = w.id LIMIT 1
    ) r`,
};

/** Which of these resources exist. $1 user, $2 kinds, $3 ids */
export const findCurrentVersions: Statement = {
  name: 'read-heads',
  text: `
    SELECT r.type_code, r.id, r.version, r.last_updated
    FROM unnest($2::smallint[], $3::uuid[]) AS w (type_code, id)
    CROSS JOIN LATERAL (
      SELECT type_code, id, version, last_updated FROM fhir_store.resource WHERE user_id = $1 AND type_code = w.type_code AND id = w.id LIMIT 1
    ) r`,
};
