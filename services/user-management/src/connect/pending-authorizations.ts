import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { changedRows, deleteInBatches } from '../database/changed-rows';
import type { DataKeys } from '../database/data-keys';
import { UserNoLongerActive } from '../users/user-errors';
import { type ConnectSession, authorizationRequest, connectSession } from './connect-session';
import { scopeFallbacks } from './scopes';
import { hashOf, randomSecret } from './secrets';

const pendingAuthorizationSeconds = 600;
/** For how long a user who returns too late is still redirected to the client, in seconds. */
const expiredAuthorizationSeconds = 3600;
/** The life of the browser's cookie, in seconds. */
export const browserSecretSeconds = pendingAuthorizationSeconds + expiredAuthorizationSeconds;

const pendingAuthorization = z.object({
  session: connectSession,
  request: authorizationRequest,
  /** Of PKCE (RFC 7636). */
  codeVerifier: z.string(),
  scope: z.string(),
  scopeFallback: z.enum([...scopeFallbacks, 'registered']),
});
/** An authorization request that was sent, and what its callback needs. */
export type PendingAuthorization = z.infer<typeof pendingAuthorization>;
const endedSession = pendingAuthorization.pick({ session: true });

interface Row {
  service_user_id: string;
  contents_sealed: Buffer;
  is_expired: boolean;
}

/**
 * Authorization requests that wait for their callback (table `pending_authorization`). The `state` is stored as a hash
 * only. It is valid once, for ten minutes, and in the browser that holds the secret of its cookie. It is kept for
 * another hour, so that a user who returns too late can be redirected to the client. The last one of a connect session
 * is replaced by the end of the session for ten minutes. The contents are sealed under the data key of the user.
 */
export class PendingAuthorizations {
  constructor(
    private readonly database: DataSource,
    private readonly keys: DataKeys,
  ) {}

  /**
   * @returns the `state` of the authorization request, and the secret for the browser's cookie
   * @throws UserNoLongerActive
   */
  async create(pending: PendingAuthorization): Promise<{ state: string; browserSecret: string }> {
    const [state, browserSecret] = [randomSecret(), randomSecret()];
    await this.#insert(state, browserSecret, pending);
    return { state, browserSecret };
  }

  /**
   * Keeps how a connect session has ended, so that a reload of its last callback ends alike.
   * @param state of that callback
   * @param browserSecret for the cookie, in place of the one that was used
   * @throws UserNoLongerActive
   */
  async keepEnd(state: string, browserSecret: string, session: ConnectSession): Promise<void> {
    await this.#insert(state, browserSecret, { session });
  }

  /** @returns undefined when the browser has not ended a connect session with this callback in the last ten minutes */
  async endOf(state: string, browserSecret: string): Promise<ConnectSession | undefined> {
    const [row] = (await this.database.query(
      `SELECT service_user_id, contents_sealed FROM pending_authorization
       WHERE state_hash = $1 AND browser_secret_hash = $2 AND expires_at > now()`,
      [hashOf(state), hashOf(browserSecret)],
    )) as Pick<Row, 'service_user_id' | 'contents_sealed'>[];
    return row && endedSession.parse(await this.#open(state, row)).session;
  }

  async #insert(
    state: string,
    browserSecret: string,
    contents: PendingAuthorization | z.infer<typeof endedSession>,
  ): Promise<void> {
    const { serviceUserId } = contents.session;
    const sealed = (await this.keys.ofUser(serviceUserId)).sealText(JSON.stringify(contents), associatedData(state));
    const inserted = (await this.database.query(
      `INSERT INTO pending_authorization (state_hash, browser_secret_hash, service_user_id, contents_sealed, expires_at)
       SELECT $1, $2, service_user_id, $4, now() + $5 * interval '1 second' FROM service_user
       WHERE service_user_id = $3 AND state = 'active' FOR SHARE
       RETURNING true`,
      [hashOf(state), hashOf(browserSecret), serviceUserId, sealed, pendingAuthorizationSeconds],
    )) as unknown[];
    if (inserted.length === 0) throw new UserNoLongerActive();
  }

  async #open(state: string, row: Pick<Row, 'service_user_id' | 'contents_sealed'>): Promise<unknown> {
    const key = await this.keys.ofUser(Number(row.service_user_id));
    return JSON.parse(key.openText(row.contents_sealed, associatedData(state)));
  }

  /**
   * Deletes and returns a pending authorization: of concurrent callbacks with the same `state` one gets it. A request
   * of another browser gets nothing and deletes nothing.
   */
  async consume(
    state: string,
    browserSecret: string,
  ): Promise<{ pending: PendingAuthorization; isExpired: boolean } | undefined> {
    const [row] = await changedRows<Row>(
      this.database,
      `DELETE FROM pending_authorization WHERE state_hash = $1 AND browser_secret_hash = $2
       RETURNING service_user_id, contents_sealed, expires_at <= now() AS is_expired`,
      [hashOf(state), hashOf(browserSecret)],
    );
    return row && { pending: pendingAuthorization.parse(await this.#open(state, row)), isExpired: row.is_expired };
  }

  deleteExpired(): Promise<void> {
    const condition = `expires_at < now() - $1 * interval '1 second'`;
    return deleteInBatches(this.database, { table: 'pending_authorization', key: 'state_hash', condition }, [
      expiredAuthorizationSeconds,
    ]);
  }
}

function associatedData(state: string): string {
  return `pending_authorization ${hashOf(state).toString('hex')}`;
}
