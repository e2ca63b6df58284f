import type { AuthClient, FoundClient } from '@tributary/contracts';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { notFound } from '../common-routes';
import { requireRole } from '../organisations/roles';
import type { Role } from '../schemas';

/** Before a temporary secret ends, so that it is accepted until the end of a request that begins with it. */
const spareMs = 60_000;
const maxCached = 10_000;

/** The access of developers to the clients of their organisations. */
export class ClientAccess {
  readonly #secrets = new LRUCache<string, { secret: string; endsAt: number }>({ max: maxCached });

  constructor(
    private readonly auth: Pick<AuthClient, 'findClient' | 'createTemporarySecret'>,
    private readonly pool: Pool,
  ) {}

  /**
   * A client of an organisation in which the account has one of these roles.
   * @throws HttpError 404 for the clients of others, as when there is no such client; 403 when the role is another
   */
  async requireClient(
    clientId: string,
    accountId: string,
    allowed: readonly Role[],
    requestId: string,
  ): Promise<FoundClient> {
    const client = await this.auth.findClient(clientId, { requestId });
    if (client?.organisation_id === undefined) throw notFound('client');
    await requireRole(this.pool, client.organisation_id, accountId, allowed, 'client');
    return client;
  }

  /**
   * A secret by which the developer acts for the client.
   * @throws HttpError 404 when the client was disabled or deleted meanwhile
   */
  async secretOf(clientId: string, developer: string, requestId: string): Promise<string> {
    const key = `${developer} ${clientId}`;
    const cached = this.#secrets.get(key);
    if (cached && cached.endsAt - spareMs > Date.now()) return cached.secret;
    const created = await this.auth.createTemporarySecret(clientId, developer, { requestId });
    if (!created) throw notFound('client');
    this.#secrets.set(key, { secret: created.client_secret, endsAt: Date.parse(created.expires_at) });
    return created.client_secret;
  }

  /** After a service has refused the secret. */
  forgetSecret(clientId: string, developer: string): void {
    this.#secrets.delete(`${developer} ${clientId}`);
  }
}
