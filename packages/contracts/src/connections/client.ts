import { z } from 'zod';
import { type CallContext, InternalCallError, type InternalHttp, absentWhen } from '../http/internal-http';
import {
  type AccessTokenRequest,
  type CollectionReport,
  type ConnectionForCollection,
  type ConnectionStatus,
  type HealthSystemAccess,
  connectionForCollection,
  connectionStatuses,
  healthSystemAccess,
} from './internal';

/** The grant of the connection is no longer valid; only the user can renew it. */
export class NeedsReauthorization extends Error {
  constructor() {
    super('the health system no longer accepts this connection; the user must connect again');
    this.name = 'NeedsReauthorization';
  }
}

/** The `error_code` of the 409 that stands for `ConsentEnded`. */
const consentEndedCode = 'consent_ended';

/** The consent of the user has ended: the user or the client disconnected, or its time ran out. */
export class ConsentEnded extends Error {
  constructor() {
    super('the consent of the user has ended; nothing may be collected any more');
    this.name = 'ConsentEnded';
  }
}

/** The `error_code` of the 409 that stands for `ClientNotAccepted`. */
export const clientNotAcceptedCode = 'client_not_accepted';

/**
 * The health system does not accept the client registration of this service: it is missing, or its credentials are
 * refused. Only the operator can fix that. User-management has recorded the problem and queues the collection again
 * later; the worker ends the job without a report.
 */
export class ClientNotAccepted extends Error {
  constructor() {
    super('the health system does not accept the client registration; the operator must correct it');
    this.name = 'ClientNotAccepted';
  }
}

/** The `error_code` of the 409 that stands for `HealthSystemPaused`. */
export const healthSystemPausedCode = 'health_system_paused';

/**
 * The operator has paused all requests to the health system. The worker ends the job without a report, and keeps the
 * checkpoints: user-management queues the collection again when the health system is resumed.
 */
export class HealthSystemPaused extends Error {
  constructor() {
    super('the operator has paused all requests to this health system');
    this.name = 'HealthSystemPaused';
  }
}

/** The `error_code` of the 503 that stands for `RefreshPostponed`. */
export const refreshPostponedCode = 'refresh_postponed';

/** The health system does not renew its access at the moment; the next request to it follows after this time. */
export class RefreshPostponed extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('the health system does not renew its access at the moment');
    this.name = 'RefreshPostponed';
  }
}

const defaultRetryAfterSeconds = 60;

/** Typed calls to the internal API of user-management, which holds the connections and their tokens. */
export class ConnectionsClient {
  constructor(private readonly http: InternalHttp) {}

  /** The connection, or undefined when it was deleted. */
  async find(connectionId: string, context: CallContext = {}): Promise<ConnectionForCollection | undefined> {
    const path = `/internal/v1/connections/${connectionId}`;
    const call = this.http.call({ method: 'GET', path, response: connectionForCollection, ...context });
    return absentWhen(call, ({ status }) => status === 404);
  }

  /**
   * A valid access token for the health system. User-management refreshes it, under a lease, when it has expired or was
   * refused.
   * @throws NeedsReauthorization when the health system no longer accepts the grant (409)
   * @throws ConsentEnded when the consent of the user has ended (409 with `consent_ended`)
   * @throws ClientNotAccepted when the health system refuses the client registration (409 with `client_not_accepted`)
   * @throws HealthSystemPaused when the operator has paused its host (409 with `health_system_paused`)
   * @throws RefreshPostponed when the token cannot be refreshed at the moment (503 with `refresh_postponed`)
   */
  async accessToken(
    connectionId: string,
    request: AccessTokenRequest = {},
    context: CallContext = {},
  ): Promise<HealthSystemAccess> {
    try {
      return await this.http.call({
        method: 'POST',
        path: `/internal/v1/connections/${connectionId}/access-token`,
        body: request,
        response: healthSystemAccess,
        timeoutMs: 45_000,
        ...context,
      });
    } catch (error) {
      if (error instanceof InternalCallError && error.status === 409) {
        if (error.errorCode === consentEndedCode) throw new ConsentEnded();
        if (error.errorCode === healthSystemPausedCode) throw new HealthSystemPaused();
        throw error.errorCode === clientNotAcceptedCode ? new ClientNotAccepted() : new NeedsReauthorization();
      }
      if (error instanceof InternalCallError && error.errorCode === refreshPostponedCode)
        throw new RefreshPostponed(error.retryAfterSeconds ?? defaultRetryAfterSeconds);
      throw error;
    }
  }

  /**
   * The status of each connection. A connection that is absent from the map was deleted with its user.
   * @param connectionIds at most 1,000
   */
  async statuses(connectionIds: readonly string[], context: CallContext = {}): Promise<Map<string, ConnectionStatus>> {
    const { connections } = await this.http.call({
      method: 'POST',
      path: '/internal/v1/connections/status',
      body: { connection_ids: connectionIds },
      response: connectionStatuses,
      ...context,
    });
    return new Map(connections.map(({ connection_id, status }) => [connection_id, status]));
  }

  /**
   * Whether a collection is still the one in progress, and its consent has not ended. Each consent begins another
   * collection.
   */
  async isInProgress(connectionId: string, collectionId: string, context: CallContext = {}): Promise<boolean> {
    const path = `/internal/v1/connections/${connectionId}/collections/${collectionId}`;
    const call = this.http.call({ method: 'GET', path, response: z.unknown(), ...context });
    return (
      (await absentWhen(
        call.then(() => true),
        isSuperseded,
      )) ?? false
    );
  }

  /**
   * Reports the progress of a collection. `false` means that the collection is superseded and has to stop.
   * @throws HealthSystemPaused when it has to stop, and to be continued later (409 with `health_system_paused`)
   */
  async report(
    connectionId: string,
    collectionId: string,
    report: CollectionReport,
    context: CallContext = {},
  ): Promise<boolean> {
    const path = `/internal/v1/connections/${connectionId}/collections/${collectionId}`;
    const call = this.http.call({ method: 'PUT', path, body: report, response: z.unknown(), ...context });
    const accepted = await absentWhen(
      call.then(() => true),
      (error) => {
        if (error.errorCode === healthSystemPausedCode) throw new HealthSystemPaused();
        return isSuperseded(error);
      },
    );
    return accepted ?? false;
  }
}

function isSuperseded({ status }: InternalCallError): boolean {
  return status === 404 || status === 409;
}
