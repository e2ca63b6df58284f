import type { ServerResponse } from 'node:http';
import OAuth2Server from 'oauth2-server';
import type { AuthenticatedClient } from '../client-authentication/client-authentication';

const parameterNames = ['grant_type', 'code', 'code_verifier', 'refresh_token', 'scope'] as const;

/** The parameters of a token request that grants read. */
export type GrantParameters = { [name in (typeof parameterNames)[number]]?: string | undefined };

/** Visible ASCII, VSCHAR of RFC 6749, appendix A. */
const visibleAscii = /^[\x20-\x7e]+$/;

/**
 * A token request in the form that oauth2-server reads. Express has parsed the body before, from a form or from JSON;
 * oauth2-server accepts forms only and checks the headers, so the request declares a form. It holds no credentials,
 * because the client has been authenticated.
 */
export class TokenRequest extends OAuth2Server.Request {
  declare body: GrantParameters & { client_id: string };

  constructor(
    parameters: GrantParameters,
    readonly client: AuthenticatedClient,
    /**
     * Whether the client has stopped waiting for the response. It may have sent the request again since then, so an
     * abandoned request must neither use up a code or refresh token nor count as reuse. Nobody gains tokens by that.
     */
    readonly isAbandoned: () => boolean,
  ) {
    // A parameter without a value counts as not sent (RFC 6749, section 3.1).
    const sent = Object.fromEntries(parameterNames.map((name) => [name, parameters[name] || undefined]));
    super({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
      query: {},
      body: { ...sent, client_id: client.clientId },
    });
  }

  /** @throws InvalidRequestError when the parameter is missing or malformed */
  required(name: 'code' | 'refresh_token'): string {
    const value = this.body[name];
    if (value === undefined) throw new OAuth2Server.InvalidRequestError(`${name} is missing`);
    if (!visibleAscii.test(value)) throw new OAuth2Server.InvalidRequestError(`${name}: must be visible ASCII`);
    return value;
  }
}

/** What a grant issues. oauth2-server requires a client and a user in it. */
export interface IssuedToken extends OAuth2Server.Token {
  scope: string[];
  /** Lifetime of the access token in seconds. */
  lifetime: number;
  /** Absent in a system token. */
  user: { serviceUserId?: number };
}

/** The error of a code or refresh token that is not valid (RFC 6749, section 5.2). */
export function invalidGrant(reason: string): OAuth2Server.InvalidGrantError {
  return new OAuth2Server.InvalidGrantError(reason);
}

/** Whether the connection ended, or the client closed its side of it, before the response was sent. */
export function isAbandoned(response: ServerResponse): boolean {
  return response.destroyed || response.socket?.writable !== true;
}
