import { z } from 'zod';
import { type CallContext, InternalCallError, type InternalHttp, absentWhen } from '../http/internal-http';
import { clientIdPattern } from '../identifiers';
import {
  type AuthenticatedClient,
  type ClientCredentials,
  type ClientRegistration,
  type ClientsOfOrganisation,
  type FoundClient,
  type Introspection,
  type IssuedCode,
  type ManagedClientWithSecret,
  type TemporarySecret,
  authenticatedClient,
  clientsOfOrganisation,
  deletingClients,
  foundClient,
  introspections,
  issuedAccessToken,
  issuedCode,
  managedClientWithSecret,
  temporarySecret,
} from './internal';

/**
 * Typed calls to the internal API of auth.
 * @throws InternalCallError from every method when auth does not respond with 2xx
 */
export class AuthClient {
  constructor(private readonly http: InternalHttp) {}

  /** The client application of the credentials; undefined when they are wrong. */
  async authenticateClient(
    credentials: ClientCredentials,
    context: CallContext = {},
  ): Promise<AuthenticatedClient | 'disabled' | undefined> {
    try {
      const call = this.http.call({
        method: 'POST',
        path: '/internal/v1/clients/authenticate',
        body: credentials,
        response: authenticatedClient,
        ...context,
      });
      // Not the status: a 401 can also mean that the key of the calling service is wrong.
      return await absentWhen(call, ({ errorCode }) => errorCode === 'invalid_client');
    } catch (error) {
      if (error instanceof InternalCallError && error.errorCode === 'client_disabled') return 'disabled';
      throw error;
    }
  }

  /** The client application, or undefined when it does not exist or is disabled. */
  async findClient(clientId: string, context: CallContext = {}): Promise<FoundClient | undefined> {
    // No client has such an id, and auth would refuse the request.
    if (!clientIdPattern.test(clientId)) return undefined;
    const path = `/internal/v1/clients/${encodeURIComponent(clientId)}`;
    const call = this.http.call({ method: 'GET', path, response: foundClient, ...context });
    return absentWhen(call, ({ errorCode }) => errorCode === 'client_not_found');
  }

  /**
   * Creates a client application of an organisation; the result has its secret, this once.
   * @throws InternalCallError also with the code `invalid_request`, whose `reason` names the fields, and with
   * `too_many_clients`. After an outcome that is not known, the organisation may have a client more.
   */
  createClient(registration: ClientRegistration, context: CallContext = {}): Promise<ManagedClientWithSecret> {
    return this.http.call({
      method: 'POST',
      path: '/internal/v1/clients',
      body: registration,
      response: managedClientWithSecret,
      isIdempotent: false,
      ...context,
    });
  }

  /** The client applications of an organisation, disabled ones too, oldest first. */
  async clientsOfOrganisation(
    organisationId: string,
    context: CallContext = {},
  ): Promise<ClientsOfOrganisation['clients']> {
    const { clients } = await this.http.call({
      method: 'GET',
      path: '/internal/v1/clients',
      query: { organisation_id: organisationId },
      response: clientsOfOrganisation,
      ...context,
    });
    return clients;
  }

  /**
   * A secret by which a developer acts for a client application of an organisation for five minutes; undefined when
   * there is no such client, or it is disabled.
   */
  async createTemporarySecret(
    clientId: string,
    developer: string,
    context: CallContext = {},
  ): Promise<TemporarySecret | undefined> {
    if (!clientIdPattern.test(clientId)) return undefined;
    const call = this.http.call({
      method: 'POST',
      path: `/internal/v1/clients/${encodeURIComponent(clientId)}/temporary-secrets`,
      body: { developer },
      response: temporarySecret,
      ...context,
    });
    return absentWhen(call, ({ errorCode }) => errorCode === 'client_not_found');
  }

  /** The ids of client applications whose users are to be deleted: up to 100, oldest first. */
  async findDeletingClients(): Promise<string[]> {
    const { client_ids } = await this.http.call({
      method: 'GET',
      path: '/internal/v1/deleting-clients',
      response: deletingClients,
    });
    return client_ids;
  }

  /** Removes a client application that is being deleted and has no user any more. */
  async removeClient(clientId: string): Promise<void> {
    await this.http.call({
      method: 'DELETE',
      path: `/internal/v1/deleting-clients/${encodeURIComponent(clientId)}`,
      response: z.unknown(),
    });
  }

  /** Issues an authorization code of a user; it is valid for ten minutes and one use. */
  issueCode(clientId: string, serviceUserId: number, context: CallContext = {}): Promise<IssuedCode> {
    return this.http.call({
      method: 'POST',
      path: '/internal/v1/codes',
      body: { client_id: clientId, service_user_id: serviceUserId },
      response: issuedCode,
      ...context,
    });
  }

  /** Issues an access token of a user, for the pages of the service itself: no refresh token belongs to it. */
  async issueAccessToken(clientId: string, serviceUserId: number, context: CallContext = {}): Promise<string> {
    const { access_token } = await this.http.call({
      method: 'POST',
      path: '/internal/v1/access-tokens',
      body: { client_id: clientId, service_user_id: serviceUserId },
      response: issuedAccessToken,
      ...context,
    });
    return access_token;
  }

  /**
   * Introspects access tokens; the results are in the order of the tokens.
   * @param tokens at most `maxTokensPerIntrospection`
   */
  async introspect(tokens: readonly string[], context: CallContext = {}): Promise<Introspection[]> {
    const response = introspections.refine((each) => each.tokens.length === tokens.length, { path: ['tokens'] });
    return (
      await this.http.call({
        method: 'POST',
        path: '/internal/v1/tokens/introspect',
        body: { tokens },
        response,
        ...context,
      })
    ).tokens;
  }

  /** Revokes every code and token of the user; they are invalid when this returns. */
  async revokeTokensOfUser(serviceUserId: number, context: CallContext = {}): Promise<void> {
    await this.http.call({
      method: 'DELETE',
      path: `/internal/v1/users/${serviceUserId}/tokens`,
      response: z.unknown(),
      ...context,
    });
  }
}
