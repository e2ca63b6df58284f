import { type TokenRevocation, tokenRevocationChannel } from '@tributary/contracts';
import { describeError, unavailable } from '@tributary/service-kit';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** No replica remembers a token for longer, so nobody needs to hear of a revocation that is older (service kit, `AccessTokens`: 30 s). */
const usefulMs = 60_000;

/**
 * Tells every replica of every service which tokens stopped working. What could not be told, because Redis was away, is told as soon as
 * it is back; until then whoever asked for the revocation is told to try again.
 */
export class RevocationChannel {
  #untold: { revocation: TokenRevocation; since: number }[] = [];

  constructor(
    private readonly redis: Redis,
    private readonly log: Logger,
  ) {
    redis.on('ready', () => {
      this.catchUp().catch((error: unknown) => this.log.warn({ err: describeError(error) }, 'revocations wait to be told'));
    });
  }

  /**
   * Publishes a revocation that has been committed.
   * @throws HttpError 503 when it could not be told: the tokens are revoked, but some replica may take them for up to 30 s
   */
  async tell(revocation: TokenRevocation): Promise<void> {
    this.#untold.push({ revocation, since: Date.now() });
    await this.catchUp();
  }

  /**
   * Publishes what could not be published before.
   * @throws HttpError 503 when Redis is still away
   */
  async catchUp(): Promise<void> {
    const waiting = this.#untold.filter(({ since }) => Date.now() - since < usefulMs);
    this.#untold = [];
    const outcomes = await Promise.allSettled(waiting.map(({ revocation }) => this.redis.publish(tokenRevocationChannel, JSON.stringify(revocation))));
    const failed = waiting.filter((_waiting, index) => outcomes[index]?.status === 'rejected');
    if (failed.length === 0) return;
    this.#untold.push(...failed);
    throw unavailable('the revocation could not be made known everywhere yet; try again shortly');
  }
}
