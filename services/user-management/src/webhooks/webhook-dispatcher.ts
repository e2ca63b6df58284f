import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DeliveryQueue, LeasedDelivery } from './delivery-queue';
import { type WebhookSender, isAccepted } from './webhook-sender';
import type { WebhookEndpoints } from './webhook-endpoints';

/** So many that no few slow endpoints, with eight deliveries each, hold up the others. */
const maxConcurrent = 128;

export interface WebhookDispatcherDependencies {
  turns: DeliveryQueue;
  sender: WebhookSender;
  endpoints: WebhookEndpoints;
  log: Logger;
}

/** Delivers what is due, to many endpoints at once. Nothing else waits for it. */
export class WebhookDispatcher {
  readonly #underWay = new Set<Promise<void>>();
  #sendingOut: Promise<void> | undefined;
  #isAskedAgain = false;
  #stopped = false;

  constructor(private readonly on: WebhookDispatcherDependencies) {}

  /** Sends out what is due, and does not wait for its delivery. A call while another is under way makes that one look again. */
  dispatchDue(): Promise<void> {
    this.#isAskedAgain = true;
    this.#sendingOut ??= this.#dispatchDue().finally(() => {
      this.#sendingOut = undefined;
    });
    return this.#sendingOut;
  }

  /** Lets the deliveries under way end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#sendingOut?.catch(() => undefined);
    await Promise.all(this.#underWay);
  }

  async #dispatchDue(): Promise<void> {
    while (!this.#stopped && this.#underWay.size < maxConcurrent) {
      this.#isAskedAgain = false;
      const turns = await this.on.turns.take();
      if (!turns && !this.#isAskedAgain) return;
      for (const turn of turns ?? []) this.#send(turn);
    }
  }

  #send(turn: LeasedDelivery): void {
    const delivery = this.#deliver(turn)
      .catch((error: unknown) =>
        this.on.log.warn({ err: describeError(error) }, 'a webhook was left to be delivered later'),
      )
      .then(() => {
        this.#underWay.delete(delivery);
        if (!this.#stopped)
          this.dispatchDue().catch((error: unknown) =>
            this.on.log.warn({ err: describeError(error) }, 'webhooks were left to be delivered later'),
          );
      });
    this.#underWay.add(delivery);
  }

  async #deliver(turn: LeasedDelivery): Promise<void> {
    const { turns, sender, endpoints, log } = this.on;
    const { endpointId } = turn.endpoint;
    const answer = await sender.send(turn.endpoint, turn.eventId, turn.body);
    if (isAccepted(answer)) return turns.delivered(turn);
    const outcome = await turns.failed(turn);
    log.info(
      { endpointId, eventId: turn.eventId, attempt: turn.attempts + 1, outcome, ...answer },
      'a webhook was not accepted',
    );
    const gone = 'status' in answer && answer.status === 410;
    if (outcome !== 'endpoint dead' && !gone) return;
    const last = 'status' in answer ? `it answered ${answer.status}` : `there was no answer: ${answer.reason}`;
    await endpoints.disable(
      endpointId,
      gone
        ? 'it answered 410: it wants no more events'
        : `no event was accepted for 24 hours; at the last attempt ${last}`,
    );
    log.warn({ endpointId, ...answer }, 'a webhook endpoint was disabled');
  }
}
