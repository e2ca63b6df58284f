import { z } from 'zod';
import { InternalCallError, type InternalHttp } from '../http/internal-http';
import {
  type ClientApplication,
  type ClientCredentials,
  type Introspection,
  type IssuedCode,
  clientApplication,
  introspections,
  issuedCode,
} from './internal';

interface Context {
  requestId?: string | undefined;
}

/** Typed calls to the internal API of auth. */
export class AuthClient {
  constructor(private readonly http: InternalHttp) {}

  /** The client application these credentials belong to, or undefined when they are wrong. */
  authenticateClient(credentials: ClientCredentials, context: Context = {}): Promise<ClientApplication | undefined> {
    return absentWhen(
      'invalid_client',
      this.http.call({
        method: 'POST',
        path: '/internal/v1/clients/authenticate',
        body: credentials,
        response: clientApplication,
        idempotent: true,
        requestId: context.requestId,
      }),
    );
  }

  /** A client application by its id, or undefined when there is none. */
  findClient(clientId: string, context: Context = {}): Promise<ClientApplication | undefined> {
    return absentWhen(
      'client_not_found',
      this.http.call({
        method: 'GET',
        path: `/internal/v1/clients/${encodeURIComponent(clientId)}`,
        response: clientApplication,
        idempotent: true,
        requestId: context.requestId,
      }),
    );
  }

  /** A new authorization code of a user, good for ten minutes and one use. */
  issueCode(clientId: string, serviceUserId: number, context: Context = {}): Promise<IssuedCode> {
    return this.http.call({
      method: 'POST',
      path: '/internal/v1/codes',
      body: { client_id: clientId, service_user_id: serviceUserId },
      response: issuedCode,
      idempotent: true,
      requestId: context.requestId,
    });
  }

  /** What access tokens stand for, in their order; up to 100 at once. */
  async introspect(tokens: readonly string[], context: Context = {}): Promise<Introspection[]> {
    const response = introspections.refine((each) => each.tokens.length === tokens.length, { path: ['tokens'] });
    return (
      await this.http.call({
        method: 'POST',
        path: '/internal/v1/tokens/introspect',
        body: { tokens },
        response,
        idempotent: true,
        requestId: context.requestId,
      })
    ).tokens;
  }

  /** Every code and token of the user stops working before this returns. */
  async revokeTokensOfUser(serviceUserId: number, context: Context = {}): Promise<void> {
    await this.http.call({
      method: 'DELETE',
      path: `/internal/v1/users/${serviceUserId}/tokens`,
      response: z.unknown(),
      idempotent: true,
      requestId: context.requestId,
    });
  }
}

/** By the error code and not the status: a 401 can also mean that the calling service itself is unknown. */
async function absentWhen<T>(errorCode: string, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof InternalCallError && error.errorCode === errorCode) return undefined;
    throw error;
  }
}
