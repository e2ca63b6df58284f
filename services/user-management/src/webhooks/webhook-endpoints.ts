import { randomUUID } from 'node:crypto';
import { HttpError } from '@tributary/service-kit';
import type { DataSource, Repository } from 'typeorm';
import { type WebhookEndpoint, webhookEndpointEntity } from './webhook-endpoint';
import type { WebhookSecrets } from './webhook-secrets';

const maxEndpointsPerClient = 10;
const previousSecretValidMs = 24 * 3_600_000;

/** The table of webhook endpoints. Each look-up names the client: endpoints of other clients are not found. */
export class WebhookEndpoints {
  readonly #endpoints: Repository<WebhookEndpoint>;

  constructor(
    private readonly database: DataSource,
    private readonly secrets: WebhookSecrets,
  ) {
    this.#endpoints = database.getRepository(webhookEndpointEntity);
  }

  /** @throws HttpError 409 when the client has ten endpoints */
  async create(clientId: string, url: string): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
    const endpointId = randomUUID();
    const { secret, sealed } = await this.secrets.create({ clientId, endpointId });
    await this.database.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `webhook endpoints of ${clientId}`,
      ]);
      if ((await manager.countBy(webhookEndpointEntity, { clientId })) >= maxEndpointsPerClient)
        throw new HttpError(
          'too_many_webhook_endpoints',
          `a client has at most ${maxEndpointsPerClient} webhook endpoints`,
        );
      await manager.insert(webhookEndpointEntity, {
        endpointId,
        clientId,
        url,
        secretSealed: sealed,
        status: 'enabled',
      });
    });
    return { endpoint: await this.find(clientId, endpointId), secret };
  }

  /** Oldest first. */
  list(clientId: string): Promise<WebhookEndpoint[]> {
    return this.#endpoints.find({ where: { clientId }, order: { createdAt: 'ASC', endpointId: 'ASC' } });
  }

  /** @throws HttpError 404 for an unknown endpoint */
  async find(clientId: string, endpointId: string): Promise<WebhookEndpoint> {
    const endpoint = await this.#endpoints.findOneBy({ clientId, endpointId });
    if (!endpoint) throw endpointNotFound();
    return endpoint;
  }

  /** Deletes the endpoint and its pending deliveries. @throws HttpError 404 for an unknown endpoint */
  async delete(clientId: string, endpointId: string): Promise<void> {
    const { affected } = await this.#endpoints.delete({ clientId, endpointId });
    if (affected !== 1) throw endpointNotFound();
  }

  /** Creates a new secret; the previous one signs beside it for a day. @throws HttpError 404 for an unknown endpoint */
  async rotateSecret(clientId: string, endpointId: string): Promise<{ secret: string; previousUntil: Date }> {
    const { secret, sealed } = await this.secrets.create({ clientId, endpointId });
    const previousUntil = new Date(Date.now() + previousSecretValidMs);
    const { affected } = await this.#endpoints.update(
      { clientId, endpointId },
      { secretSealed: sealed, previousSecretSealed: () => 'secret_sealed', previousSecretUntil: previousUntil },
    );
    if (affected !== 1) throw endpointNotFound();
    return { secret, previousUntil };
  }

  /** @throws HttpError 404 for an unknown endpoint */
  async enable(clientId: string, endpointId: string): Promise<WebhookEndpoint> {
    await this.#endpoints.update(
      { clientId, endpointId },
      { status: 'enabled', disabledReason: null, disabledAt: null },
    );
    return this.find(clientId, endpointId);
  }

  /**
   * Disables the endpoint and deletes its pending deliveries. No events are recorded for it until the client enables it
   * again.
   */
  async disable(endpointId: string, reason: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query(
        `UPDATE webhook_endpoint SET status = 'disabled', disabled_reason = $2, disabled_at = now(),
           next_due_at = NULL, failing_since = NULL WHERE endpoint_id = $1 AND status = 'enabled'`,
        [endpointId, reason],
      );
      await manager.query('DELETE FROM webhook_delivery WHERE endpoint_id = $1', [endpointId]);
    });
  }
}

function endpointNotFound(): HttpError {
  return new HttpError('webhook_endpoint_not_found', 'this client has no such webhook endpoint');
}
