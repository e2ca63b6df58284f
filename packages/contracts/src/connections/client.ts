import { z } from 'zod';
import { InternalCallError, type InternalHttp } from '../http/internal-http';
import {
  type CollectionReport,
  type ConnectionForCollection,
  type ConnectionStatus,
  type HealthSystemAccess,
  connectionForCollection,
  connectionStatuses,
  healthSystemAccess,
} from './internal';

interface Context {
  requestId?: string | undefined;
  signal?: AbortSignal;
}

/** The connection's grant is gone: only the user can renew it. */
export class NeedsReauthorization extends Error {
  constructor() {
    super('the health system no longer accepts this connection; the user must connect again');
    this.name = 'NeedsReauthorization';
  }
}

/** The error code of `ClientNotAccepted` on the wire; its status is 409. */
export const clientNotAcceptedCode = 'client_not_accepted';

/**
 * The health system does not accept our client: its registration is missing or its credentials are refused. Only the operator can mend
 * that. User-management has recorded it and queues the collection again later: the worker ends the job and reports nothing.
 */
export class ClientNotAccepted extends Error {
  constructor() {
    super('the health system does not accept our client; the operator must correct its registration');
    this.name = 'ClientNotAccepted';
  }
}

/** Typed calls to the internal API of user-management, which holds the connections and their tokens. */
export class ConnectionsClient {
  constructor(private readonly http: InternalHttp) {}

  /** The connection, or undefined when it was forgotten. */
  async find(connectionId: string, context: Context = {}): Promise<ConnectionForCollection | undefined> {
    try {
      return await this.http.call({
        method: 'GET',
        path: `/internal/v1/connections/${connectionId}`,
        response: connectionForCollection,
        idempotent: true,
        ...context,
      });
    } catch (error) {
      if (error instanceof InternalCallError && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * A live access token for the health system, refreshed under a lock when it is old or was refused.
   * @throws NeedsReauthorization when the health system takes the grant no more (409)
   * @throws ClientNotAccepted when it refuses our client (409 with `client_not_accepted`)
   */
  async accessToken(connectionId: string, refusedTokenId?: string, context: Context = {}): Promise<HealthSystemAccess> {
    try {
      return await this.http.call({
        method: 'POST',
        path: `/internal/v1/connections/${connectionId}/access-token`,
        body: refusedTokenId ? { refused_token_id: refusedTokenId } : {},
        response: healthSystemAccess,
        idempotent: true,
        timeoutMs: 45_000,
        ...context,
      });
    } catch (error) {
      if (error instanceof InternalCallError && error.status === 409)
        throw error.errorCode === clientNotAcceptedCode ? new ClientNotAccepted() : new NeedsReauthorization();
      throw error;
    }
  }

  /**
   * The status of each connection that exists; one that is absent from the map was deleted with its user.
   * @param connectionIds at most 1,000
   */
  async statuses(connectionIds: readonly string[], context: Context = {}): Promise<Map<string, ConnectionStatus>> {
    const { connections } = await this.http.call({
      method: 'POST',
      path: '/internal/v1/connections/status',
      body: { connection_ids: connectionIds },
      response: connectionStatuses,
      idempotent: true,
      ...context,
    });
    return new Map(connections.map(({ connection_id, status }) => [connection_id, status]));
  }

  /** Reports how far a collection is; `false` when that collection is stale, and should stop. */
  async report(
    connectionId: string,
    collectionId: string,
    report: CollectionReport,
    context: Context = {},
  ): Promise<boolean> {
    try {
      await this.http.call({
        method: 'PUT',
        path: `/internal/v1/connections/${connectionId}/collections/${collectionId}`,
        body: report,
        response: z.unknown(),
        idempotent: true,
        ...context,
      });
      return true;
    } catch (error) {
      if (error instanceof InternalCallError && (error.status === 404 || error.status === 409)) return false;
      throw error;
    }
  }
}
