import { z } from 'zod';
import type { CallContext, InternalHttp } from '../http/internal-http';
import { clientId, connectionId, healthSystemId, serviceUserId } from '../identifiers';

/** A connect session that the user begins on the connect pages, and that ends there. */
export const connectSessionRequest = z.object({
  client_id: clientId,
  service_user_id: serviceUserId,
  health_system_id: healthSystemId,
  connection_id: connectionId.optional().describe('Reconnects this connection.'),
  confirm_person: z.boolean().describe('Whether the user has confirmed that the Patient may be another person.'),
  return_path: z
    .string()
    .regex(/^\/connect\/pages\/[\w-]{1,64}\/return$/)
    .describe('Where the browser returns to below {base_url}, with the parameters of a redirect to a client.'),
});
export type ConnectSessionRequest = z.infer<typeof connectSessionRequest>;

/** Where the browser goes next, and the values of `Set-Cookie` that it needs to come back. */
export const begunConnectSession = z.object({ location: z.string(), cookies: z.array(z.string()) });
export type BegunConnectSession = z.infer<typeof begunConnectSession>;

/** A connect link without a health system, and the cookie of the browser that has opened it. */
export const connectLinkOpening = z.object({ link: z.string(), browser_secret: z.string() });
export type ConnectLinkOpening = z.infer<typeof connectLinkOpening>;

/** What a connect page needs of the link that opens it. */
export const openedConnectLink = z.object({
  client_id: clientId,
  access_token: z.string().describe('Of the user, issued for the page.'),
  account_name: z.string().optional().describe('How the client calls the account of the user.'),
  redirect_uri: z.string().optional(),
  state: z.string().optional(),
});
export type OpenedConnectLink = z.infer<typeof openedConnectLink>;

/** Typed calls to the part of the internal API of user-management that concerns connect sessions. */
export class ConnectSessionsClient {
  constructor(private readonly http: InternalHttp) {}

  /** @throws InternalCallError 403, 404 or 429, with an `error_code` of the connect API */
  begin(request: ConnectSessionRequest, context: CallContext = {}): Promise<BegunConnectSession> {
    return this.http.call({
      method: 'POST',
      path: '/internal/v1/connect-sessions',
      body: request,
      response: begunConnectSession,
      // The health system is asked for its configuration.
      timeoutMs: 30_000,
      ...context,
    });
  }

  /**
   * Ends a connect link, whose browser goes on at the connect pages.
   * @throws InternalCallError 403, or 410 when the link has ended or belongs to another browser
   */
  endLink(opening: ConnectLinkOpening, context: CallContext = {}): Promise<OpenedConnectLink> {
    return this.http.call({
      method: 'POST',
      path: '/internal/v1/connect-links/end',
      body: opening,
      response: openedConnectLink,
      ...context,
    });
  }
}
