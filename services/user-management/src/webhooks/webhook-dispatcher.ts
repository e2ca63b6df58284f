import type { NewAuditEvent } from '@tributary/audit-log';
import { webhookDisabledReasons } from '@tributary/contracts';
import { counter, describeError } from '@tributary/service-kit';
import type { Dependencies } from '../dependencies';
import { DeliveryQueue, type LeasedDelivery } from './delivery-queue';
import { z } from 'zod';
import { type WebhookResponse, isAccepted, sendWebhook } from './webhook-sender';

/** Enough that a few slow endpoints, with eight deliveries each, do not block the others. */
const maxConcurrent = 128;

/** The outcome is `accepted` or that of the failed attempt. */
const webhookAttempts = counter(
  'tributary_webhook_attempts_total',
  'The attempts to deliver webhook events, by outcome.',
  ['outcome'],
);

/** Takes due deliveries from the queue and sends them, up to 128 at a time. */
export class WebhookDispatcher {
  readonly #queue: DeliveryQueue;
  readonly #inFlight = new Set<Promise<void>>();
  #dispatching: Promise<void> | undefined;
  #mustCheckAgain = false;
  #stopped = false;

  constructor(private readonly dependencies: Dependencies) {
    this.#queue = new DeliveryQueue(dependencies.database);
  }

  /**
   * Starts all due deliveries, without waiting for their end. A call during another one makes that one check the queue
   * again.
   * @throws Error while the database is unavailable
   */
  dispatchDue(): Promise<void> {
    this.#mustCheckAgain = true;
    this.#dispatching ??= this.#dispatch().finally(() => {
      this.#dispatching = undefined;
    });
    return this.#dispatching;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#dispatching?.catch(() => undefined);
    await Promise.all(this.#inFlight);
  }

  async #dispatch(): Promise<void> {
    while (!this.#stopped && this.#inFlight.size < maxConcurrent) {
      this.#mustCheckAgain = false;
      const deliveries = await this.#queue.lease();
      if (!deliveries && !this.#mustCheckAgain) return;
      for (const delivery of deliveries ?? []) this.#start(delivery);
    }
  }

  #start(delivery: LeasedDelivery): void {
    const inFlight = this.#deliver(delivery)
      .catch((error: unknown) =>
        this.dependencies.log.warn(
          { err: describeError(error) },
          'a webhook delivery failed and is sent again after its lease',
        ),
      )
      .then(() => {
        this.#inFlight.delete(inFlight);
        if (!this.#stopped)
          this.dispatchDue().catch((error: unknown) =>
            this.dependencies.log.warn({ err: describeError(error) }, 'webhooks cannot be delivered at the moment'),
          );
      });
    this.#inFlight.add(inFlight);
  }

  async #deliver(delivery: LeasedDelivery): Promise<void> {
    const { webhookEndpoints, log, audit } = this.dependencies;
    const { endpoint, eventId, body, attempts } = delivery;
    const { endpointId } = endpoint;
    const response = await sendWebhook(this.dependencies, endpoint, eventId, body);
    // A delivery that is not recorded is not marked, so it is sent and recorded again after its lease.
    await audit.trail.record(sentEvent(delivery, response));
    if (isAccepted(response)) {
      webhookAttempts.inc({ outcome: 'accepted' });
      return this.#queue.recordSuccess(delivery, response);
    }
    const outcome = await this.#queue.recordFailure(delivery, response);
    webhookAttempts.inc({ outcome });
    log.info({ endpointId, eventId, attempt: attempts + 1, outcome, ...response }, 'a webhook was not accepted');
    const isGone = 'status' in response && response.status === 410;
    if (outcome !== 'endpoint_failed' && !isGone) return;
    const lastAttempt =
      'status' in response ? `it responded with ${response.status}` : `there was no response: ${response.reason}`;
    await webhookEndpoints.disable(
      endpointId,
      isGone
        ? webhookDisabledReasons.gone.message
        : `${webhookDisabledReasons.not_accepted.message}; at the last attempt ${lastAttempt}`,
    );
    log.warn({ endpointId, ...response }, 'a webhook endpoint was disabled');
  }
}

const auditedBody = z.object({
  type: z.string(),
  data: z.object({ service_user_id: z.int().positive().optional() }),
});

/** The audit event of an attempt: which event about whom was sent to which endpoint of a client. */
function sentEvent({ endpoint, eventId, body }: LeasedDelivery, response: WebhookResponse): NewAuditEvent {
  const { type, data } = auditedBody.parse(JSON.parse(body));
  return {
    kind: 'webhook.sent',
    action: 'E',
    outcome: isAccepted(response) ? 'success' : 'failed',
    ...('status' in response ? { status: response.status } : {}),
    requestId: eventId,
    agent: { clientId: endpoint.clientId },
    ...(data.service_user_id === undefined ? {} : { subject: data.service_user_id }),
    entities: [
      { type: 'WebhookEndpoint', id: endpoint.endpointId },
      { type: 'WebhookEvent', id: eventId, query: type },
    ],
  };
}
