import { randomUUID } from 'node:crypto';
import { type ClientApplication, type webhookChange, webhookDisabledReasons } from '@tributary/contracts';
import { HttpError } from '@tributary/service-kit';
import { type DataSource, type EntityManager, In, type Repository } from 'typeorm';
import type { z } from 'zod';
import { changedRows } from '../database/changed-rows';
import type { DataKeys } from '../database/data-keys';
import { closeBatch } from './close-endpoints';
import { type WebhookEndpoint, webhookEndpointEntity } from './webhook-endpoint';
import { newSecret } from './webhook-sender';

export const maxEndpointsPerClient = 10;
const previousSecretValidMs = 24 * 3_600_000;
/** Without endpoints that are deleted, and whose deliveries are being deleted. */
const existing = { status: In<WebhookEndpoint['status']>(['enabled', 'disabled']) };

/** The fields of an endpoint that its client changes; absent ones stay unchanged. */
export type WebhookChange = z.output<typeof webhookChange>;

/** The table of webhook endpoints. Each look-up names the client: endpoints of other clients are not found. */
export class WebhookEndpoints {
  readonly #endpoints: Repository<WebhookEndpoint>;

  constructor(
    private readonly database: DataSource,
    private readonly keys: DataKeys,
  ) {
    this.#endpoints = database.getRepository(webhookEndpointEntity);
  }

  /** @throws HttpError 409 when the client has an endpoint with this URL, or ten endpoints */
  async create(
    { client_id: clientId, mode }: ClientApplication,
    { url, events }: { url: string; events?: WebhookEndpoint['events'] | undefined },
  ): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
    const endpointId = randomUUID();
    const { secret, sealed } = newSecret(await this.keys.ofClient(clientId), endpointId);
    await this.database.transaction(async (manager) => {
      await lockEndpointsOf(manager, clientId);
      await assertUrlIsFree(manager, clientId, url);
      if ((await manager.countBy(webhookEndpointEntity, { clientId, ...existing })) >= maxEndpointsPerClient)
        throw new HttpError(
          'too_many_webhook_endpoints',
          `a client has at most ${maxEndpointsPerClient} webhook endpoints`,
        );
      await manager.insert(webhookEndpointEntity, {
        endpointId,
        clientId,
        mode,
        url,
        events: events ?? null,
        secretSealed: sealed,
        status: 'enabled',
      });
    });
    return { endpoint: await this.find(clientId, endpointId), secret };
  }

  count(clientId: string): Promise<number> {
    return this.#endpoints.countBy({ clientId, ...existing });
  }

  /** Oldest first. */
  list(clientId: string): Promise<WebhookEndpoint[]> {
    return this.#endpoints.find({ where: { clientId, ...existing }, order: { createdAt: 'ASC', endpointId: 'ASC' } });
  }

  /** @throws HttpError 404 for an unknown endpoint */
  async find(clientId: string, endpointId: string): Promise<WebhookEndpoint> {
    const endpoint = await this.#endpoints.findOneBy({ clientId, endpointId, ...existing });
    if (!endpoint) throw endpointNotFound();
    return endpoint;
  }

  /**
   * Deletes the endpoint with its secrets. What exceeds one batch of its deliveries is deleted by `closeEndpoints`.
   * @throws HttpError 404 for an unknown endpoint
   */
  async delete(clientId: string, endpointId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const deleted = await changedRows(
        manager,
        `UPDATE webhook_endpoint SET status = 'deleting', disabled_reason = NULL, disabled_at = NULL, next_due_at = NULL,
           secret_sealed = '', previous_secret_sealed = NULL, previous_secret_until = NULL
         WHERE client_id = $1 AND endpoint_id = $2 AND status <> 'deleting' RETURNING true`,
        [clientId, endpointId],
      );
      if (deleted.length === 0) throw endpointNotFound();
      await closeBatch(manager, endpointId);
    });
  }

  /** Records that a test event was delivered. It does not end a failure of the queue, whose next attempt shows that. */
  async recordTested(endpointId: string): Promise<void> {
    await this.#endpoints.update({ endpointId }, { lastSuccessAt: () => 'now()' });
  }

  /** Creates a new secret; the previous one signs beside it for a day. @throws HttpError 404 for an unknown endpoint */
  async rotateSecret(clientId: string, endpointId: string): Promise<{ secret: string; previousUntil: Date }> {
    const { secret, sealed } = newSecret(await this.keys.ofClient(clientId), endpointId);
    const previousUntil = new Date(Date.now() + previousSecretValidMs);
    const { affected } = await this.#endpoints.update(
      { clientId, endpointId, ...existing },
      { secretSealed: sealed, previousSecretSealed: () => 'secret_sealed', previousSecretUntil: previousUntil },
    );
    if (affected !== 1) throw endpointNotFound();
    return { secret, previousUntil };
  }

  /**
   * Changes the given fields in one transaction.
   * @throws HttpError 404 for an unknown endpoint, 409 when another endpoint of the client has the URL
   */
  async change(clientId: string, endpointId: string, change: WebhookChange): Promise<WebhookEndpoint> {
    const { url, events, status } = change;
    await this.database.transaction(async (manager) => {
      if (url !== undefined) {
        await lockEndpointsOf(manager, clientId);
        await assertUrlIsFree(manager, clientId, url, endpointId);
      }
      const found = await manager.findOne(webhookEndpointEntity, {
        where: { clientId, endpointId, ...existing },
        lock: { mode: 'pessimistic_write' },
      });
      if (!found) throw endpointNotFound();
      const fields = { ...(url === undefined ? {} : { url }), ...(events === undefined ? {} : { events }) };
      if (Object.keys(fields).length > 0) await manager.update(webhookEndpointEntity, { endpointId }, fields);
      if (status === 'disabled') await disable(manager, endpointId, webhookDisabledReasons.by_client.message);
      if (status === 'enabled' && found.status === 'disabled')
        await manager.query(
          `UPDATE webhook_endpoint SET status = 'enabled', disabled_reason = NULL, disabled_at = NULL,
             failing_since = NULL, consecutive_failures = 0 WHERE endpoint_id = $1`,
          [endpointId],
        );
    });
    return this.find(clientId, endpointId);
  }

  /**
   * Disables the endpoint. Its pending deliveries end, and it misses the events that follow, until the client enables
   * it. What exceeds one batch of deliveries ends by `closeEndpoints`; an endpoint that is enabled before gets the
   * rest.
   */
  async disable(endpointId: string, reason: string): Promise<void> {
    await this.database.transaction((manager) => disable(manager, endpointId, reason));
  }
}

async function disable(manager: EntityManager, endpointId: string, reason: string): Promise<void> {
  await manager.query(
    `UPDATE webhook_endpoint SET status = 'disabled', disabled_reason = $2, disabled_at = now(),
       next_due_at = NULL, failing_since = NULL WHERE endpoint_id = $1 AND status = 'enabled'`,
    [endpointId, reason],
  );
  await closeBatch(manager, endpointId);
}

/** Serializes changes of the URLs of a client's endpoints, and of their number. */
async function lockEndpointsOf(manager: EntityManager, clientId: string): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhook endpoints of ${clientId}`]);
}

/** Two endpoints with one URL would get every event twice. @param except an endpoint that may have the URL */
async function assertUrlIsFree(manager: EntityManager, clientId: string, url: string, except?: string): Promise<void> {
  const others = await manager.findBy(webhookEndpointEntity, { clientId, url, ...existing });
  if (others.some(({ endpointId }) => endpointId !== except))
    throw new HttpError('webhook_url_taken', 'this client has a webhook endpoint with this url');
}

function endpointNotFound(): HttpError {
  return new HttpError('webhook_endpoint_not_found', 'this client has no such webhook endpoint');
}
