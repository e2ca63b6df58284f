import { randomUUID } from 'node:crypto';
import type { AuthClient, ClientApplication, FhirVersion } from '@tributary/contracts';
import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import type { DataKeys } from '../database/data-keys';
import { unlessInactive } from '../users/user-errors';
import { lockUser } from '../users/user-lock';
import type { ConsentEvents } from './consent-events';
import { scopeList, sealContent } from './consent-receipt';
import { insertReceipt } from './consent-receipts';

const batchSize = 100;

interface Unrecorded {
  connection_id: string;
  service_user_id: string;
  client_id: string;
  health_system_id: string;
  health_system_name: string;
  fhir_version: FhirVersion;
  fhir_base_url: string;
  requested_scope: string;
  scope: string;
  created_at: Date;
}

/** The index `connection_without_receipt` holds these connections alone, and is empty after the first run. */
const findUnrecorded = `
SELECT c.connection_id, c.service_user_id, c.client_id, c.health_system_id, c.health_system_name, c.fhir_version,
  c.fhir_base_url, g.requested_scope, g.scope, c.created_at
FROM connection c JOIN health_system_grant g USING (grant_id)
WHERE c.consent_receipt_id IS NULL AND c.grant_id IS NOT NULL AND c.connection_id > $1
ORDER BY c.connection_id LIMIT $2`;

const setReceipt = `
UPDATE connection SET consent_receipt_id = $2
WHERE connection_id = $1 AND consent_receipt_id IS NULL AND grant_id IS NOT NULL RETURNING connection_id`;

/**
 * Records the receipts of connections that were made before consents were recorded: given when the connection was made,
 * without an end, for the scopes of its grant. A migration cannot do this, as receipts are sealed. A connection whose
 * client is disabled waits until the client is enabled.
 */
export async function recordMissingReceipts(
  database: DataSource,
  consentEvents: ConsentEvents,
  keys: DataKeys,
  auth: AuthClient,
  log: Logger,
): Promise<void> {
  const clients = new Map<string, ClientApplication | undefined>();
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const found = (await database.query(findUnrecorded, [after, batchSize])) as Unrecorded[];
    for (const connection of found)
      try {
        const { client_id: id } = connection;
        if (!clients.has(id)) clients.set(id, await auth.findClient(id));
        const client = clients.get(id);
        if (client) await unlessInactive(() => recordReceipt(database, keys, connection, client));
      } catch (error) {
        log.warn(
          { connectionId: connection.connection_id, err: describeError(error) },
          'the consent of an old connection was not recorded',
        );
      }
    await consentEvents.record();
    const last = found.at(-1);
    if (!last || found.length < batchSize) return;
    after = last.connection_id;
  }
}

async function recordReceipt(
  database: DataSource,
  keys: DataKeys,
  connection: Unrecorded,
  { client_id, name, mode }: ClientApplication,
): Promise<void> {
  const { connection_id, health_system_id, health_system_name, created_at } = connection;
  const serviceUserId = Number(connection.service_user_id);
  const key = await keys.ofUser(serviceUserId);
  const receiptId = randomUUID();
  const content = sealContent(key, receiptId, {
    client: { client_id, name, mode },
    health_system: { id: Number(health_system_id), name: health_system_name },
    fhirVersion: connection.fhir_version,
    fhir_base_url: connection.fhir_base_url,
    types: null,
    scopes_requested: scopeList(connection.requested_scope),
    scopes_granted: scopeList(connection.scope),
  });
  await database.transaction(async (manager) => {
    await lockUser(manager, serviceUserId);
    const changed = await changedRows(manager, setReceipt, [connection_id, receiptId]);
    if (changed.length === 0) return;
    await insertReceipt(
      manager,
      { serviceUserId, clientId: client_id },
      { receipt_id: receiptId, connection_id, content_sealed: content },
      { givenAt: created_at },
    );
  });
}
