import { randomBytes } from 'node:crypto';
import type { DataKeys } from '../database/data-keys';
import type { WebhookEndpoint } from './webhook-endpoint';

type Owner = Pick<WebhookEndpoint, 'clientId' | 'endpointId'>;

const prefix = 'whsec_';
const secretBytes = 32;

/** The HMAC secrets of webhook endpoints, sealed under the data key of the client. */
export class WebhookSecrets {
  constructor(private readonly keys: DataKeys) {}

  /** A new secret: in the form of Standard Webhooks, which the client sees once, and sealed. */
  async create(owner: Owner): Promise<{ secret: string; sealed: Buffer }> {
    const secret = randomBytes(secretBytes);
    const key = await this.keys.ofClient(owner.clientId);
    return { secret: prefix + secret.toString('base64'), sealed: key.seal(secret, associatedData(owner)) };
  }

  /**
   * The secrets that sign now: the newest, and after a rotation also the previous one until it expires.
   * @throws UnsealingError
   */
  async signingKeys(endpoint: WebhookEndpoint, now = new Date()): Promise<Buffer[]> {
    const { secretSealed, previousSecretSealed, previousSecretUntil } = endpoint;
    const previous =
      previousSecretSealed && previousSecretUntil && previousSecretUntil > now ? [previousSecretSealed] : [];
    const key = await this.keys.ofClient(endpoint.clientId);
    return [secretSealed, ...previous].map((sealed) => key.open(sealed, associatedData(endpoint)));
  }
}

function associatedData({ endpointId }: Owner): string {
  return `webhook_endpoint ${endpointId} secret`;
}
