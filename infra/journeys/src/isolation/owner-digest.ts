import { createHash } from 'node:crypto';
import { waitUntil } from '@tributary/test-environment';
import { withDatabase } from '../suite/database';
import type { Ready } from '../suite/ready';
import type { World } from './parties';

/**
 * What requests could change of the owner. What background jobs change is left out: attempts, times of the next
 * attempt, progress; tokens that have expired and endpoints that are deleted, whose rows are deleted later.
 */
const rows = `
  SELECT 'client', ROW(name, redirect_uris, secret_sha256, jwks::text, requested_types, consent_days, disabled_at)::text FROM auth.client_application WHERE client_id = $1
  UNION ALL SELECT 'family', ROW(id, code_used_at, refresh_sha256, previous_refresh_sha256)::text FROM auth.token_family
    WHERE client_id = $1 AND service_user_id <> $2 AND expires_at > now()
  UNION ALL SELECT 'token', ROW(token_sha256, token.expires_at)::text
    FROM auth.access_token token JOIN auth.token_family family ON family.id = family_id
    WHERE client_id = $1 AND service_user_id <> $2 AND token.expires_at > now()
  UNION ALL SELECT 'user', ROW(service_user_id, app_user_id_sealed, state)::text FROM user_management.service_user
    WHERE client_id = $1 AND service_user_id <> $2
  UNION ALL SELECT 'connection', ROW(connection_id, status, grant_id, last_completed_at)::text FROM user_management.connection
    WHERE client_id = $1 AND service_user_id <> $2
  UNION ALL SELECT 'consent', ROW(r.receipt_id, content_sealed, expires_at, ended_at, ended_by)::text
    FROM user_management.consent_receipt r JOIN user_management.connection USING (connection_id)
    WHERE client_id = $1 AND service_user_id <> $2
  UNION ALL SELECT 'grant', ROW(g.grant_id, tokens_sealed)::text FROM user_management.health_system_grant g
    WHERE service_user_id = $3
  UNION ALL SELECT 'pending', ROW(state_hash)::text FROM user_management.pending_authorization WHERE service_user_id = $3
  UNION ALL SELECT 'endpoint', ROW(endpoint_id, url, events, secret_sealed, previous_secret_sealed)::text
    FROM user_management.webhook_endpoint WHERE client_id = $1 AND secret_sealed <> ''
  UNION ALL SELECT 'export', ROW(job_id)::text FROM analytics_export.export_job
    WHERE client_id = $1 AND service_user_id IS DISTINCT FROM $2`;

/** A digest of everything that the owner has, besides the record, by its kind. */
export function ownerDigest(ready: Ready, { owner, otherUser }: World): Promise<Map<string, string>> {
  return withDatabase(ready, async (database) => {
    // A collection changes the connection and the tokens of its grant.
    const isCollected = async (): Promise<boolean> => {
      const { rowCount } = await database.query(
        `SELECT FROM user_management.connection WHERE service_user_id = $1 AND status = 'collecting'`,
        [owner.user.service_user_id],
      );
      return rowCount === 0;
    };
    await waitUntil(isCollected, 'the connections of the owner are collected', 50);
    const found = await database.query<{ kind: string; text: string }>(
      `SELECT kind, string_agg(fields, E'\\n' ORDER BY fields) AS text FROM (${rows}) all_rows (kind, fields) GROUP BY kind`,
      [owner.client.client_id, otherUser.user.service_user_id, owner.user.service_user_id],
    );
    return new Map(found.rows.map(({ kind, text }) => [kind, createHash('sha256').update(text).digest('hex')]));
  });
}
