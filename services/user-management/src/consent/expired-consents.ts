import { describeError } from '@tributary/service-kit';
import type { RevokedConnection } from '../connections/connections';
import type { Dependencies } from '../dependencies';
import { unlessInactive } from '../users/user-errors';

const batchSize = 100;

interface ExpiredConsent extends RevokedConnection {
  receipt_id: string;
}

/** By id, so that a consent that cannot be ended does not keep those after it from being ended. */
const findExpired = `
SELECT r.receipt_id, c.connection_id, c.service_user_id, c.fhir_version
FROM consent_receipt r JOIN connection c ON c.connection_id = r.connection_id
WHERE r.ended_at IS NULL AND r.expires_at <= now() AND r.receipt_id > $1
ORDER BY r.receipt_id LIMIT $2`;

/**
 * Revokes the connections whose consent has run out. Every replica may do it at the same time: under the lock of the
 * user the second one finds nothing to revoke, and neither does one that the user has overtaken by a new consent.
 */
export async function revokeExpiredConnections({ database, connections, log }: Dependencies): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const expired = (await database.query(findExpired, [after, batchSize])) as ExpiredConsent[];
    for (const connection of expired)
      try {
        await unlessInactive(() => connections.revoke(connection, 'expiry'));
      } catch (error) {
        const { connection_id: connectionId } = connection;
        log.warn({ connectionId, err: describeError(error) }, 'a connection whose consent has run out was not revoked');
      }
    const last = expired.at(-1);
    if (!last || expired.length < batchSize) return;
    after = last.receipt_id;
  }
}
