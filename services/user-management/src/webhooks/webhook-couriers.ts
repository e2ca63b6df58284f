import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DeliveryTurns, Turn } from './delivery-turns';
import { type SendWebhook, isAccepted } from './send-webhook';
import type { WebhookEndpoints } from './webhook-endpoints';

const mostAtOnce = 32;

export interface WebhookCouriersDependencies {
  turns: DeliveryTurns;
  sender: SendWebhook;
  endpoints: WebhookEndpoints;
  log: Logger;
}

/** Delivers what is due, to many endpoints at once. Nothing else waits for it. */
export class WebhookCouriers {
  readonly #underWay = new Set<Promise<void>>();
  #stopped = false;

  constructor(private readonly on: WebhookCouriersDependencies) {}

  /** Sends couriers out for what is due, and does not wait for them. */
  async sendOut(): Promise<void> {
    while (!this.#stopped && this.#underWay.size < mostAtOnce) {
      const turn = await this.on.turns.take();
      if (!turn) return;
      const courier = this.#serve(turn).finally(() => this.#underWay.delete(courier));
      this.#underWay.add(courier);
    }
  }

  /** Lets the deliveries under way end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#underWay);
  }

  /** One turn after the other, while there are any. */
  async #serve(first: Turn): Promise<void> {
    try {
      for (let turn: Turn | undefined = first; turn; turn = this.#stopped ? undefined : await this.on.turns.take()) await this.#deliver(turn);
    } catch (error) {
      this.on.log.warn({ err: describeError(error) }, 'a webhook was left to be delivered later');
    }
  }

  async #deliver(turn: Turn): Promise<void> {
    const { turns, sender, endpoints, log } = this.on;
    const { endpointId } = turn.endpoint;
    const answer = await sender.send(turn.endpoint, turn.eventId, turn.body);
    if (isAccepted(answer)) return turns.delivered(turn);
    log.info({ endpointId, eventId: turn.eventId, attempt: turn.attempts + 1, ...answer }, 'a webhook was not accepted');
    const outcome = await turns.failed(turn);
    const gone = 'status' in answer && answer.status === 410;
    if (outcome === 'retried' && !gone) return;
    const last = 'status' in answer ? `it answered ${answer.status}` : `there was no answer: ${answer.reason}`;
    await endpoints.disable(endpointId, gone ? 'it answered 410: it wants no more events' : `an event was not accepted for 24 hours; at the last attempt ${last}`);
    log.warn({ endpointId, ...answer }, 'a webhook endpoint was disabled');
  }
}
