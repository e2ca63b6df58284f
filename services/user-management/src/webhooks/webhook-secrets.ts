import { randomBytes } from 'node:crypto';
import type { ScopedKeys } from '@tributary/key-vault';
import type { WebhookEndpoint } from './webhook-endpoint';

type Owner = Pick<WebhookEndpoint, 'clientId' | 'endpointId'>;

const prefix = 'whsec_';
const keyBytes = 32;

/** The secrets that sign webhooks, kept sealed under the client's key. */
export class WebhookSecrets {
  constructor(private readonly keys: ScopedKeys) {}

  /** A new secret, as the client gets to see it once, and sealed. */
  async create(owner: Owner): Promise<{ secret: string; sealed: Buffer }> {
    const key = randomBytes(keyBytes);
    return {
      secret: prefix + key.toString('base64'),
      sealed: (await this.#keyOf(owner)).seal(key, associatedData(owner)),
    };
  }

  /** The keys that sign what is sent now: the newest first, and for a while after a rotation the one before. */
  async signingKeys(endpoint: WebhookEndpoint, now = new Date()): Promise<Buffer[]> {
    const { secretSealed, previousSecretSealed, previousSecretUntil } = endpoint;
    const previous =
      previousSecretSealed && previousSecretUntil && previousSecretUntil > now ? [previousSecretSealed] : [];
    const key = await this.#keyOf(endpoint);
    return [secretSealed, ...previous].map((sealed) => key.open(sealed, associatedData(endpoint)));
  }

  #keyOf({ clientId }: Owner): ReturnType<ScopedKeys['keyFor']> {
    return this.keys.keyFor(`client-${clientId}`);
  }
}

function associatedData({ endpointId }: Owner): string {
  return `webhook_endpoint ${endpointId} secret`;
}
