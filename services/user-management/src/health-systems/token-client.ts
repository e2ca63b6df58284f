import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { OutboundRequestFailed } from '@tributary/outbound';
import type { SigningKeys } from '../client-keys/signing-keys';
import type { OutboundHttp } from '../outbound/outbound-http';
import { errorCodeOf, parseJson } from './authorization-server';
import {
  type AuthenticationHints,
  type ClientAuthenticationMethod,
  type AuthenticatedClient,
  methodsToTry,
  postAsClient,
} from './client-authentication';
import type { ClientRegistration } from './registrations';

const optionalText = z.string().min(1).optional().catch(undefined);

const tokenResponse = z.object({
  access_token: z.string().min(1),
  /** Seconds. */
  expires_in: z.coerce.number().positive().optional().catch(undefined),
  refresh_token: optionalText,
  scope: optionalText,
  /** See `patientIdFromToken`. */
  patient: z.unknown().optional(),
  id_token: optionalText,
});
type TokenResponseBody = z.output<typeof tokenResponse>;

/** A successful token response (RFC 6749, section 5.1), and the method of client authentication that was accepted. */
export type TokenResponse = TokenResponseBody & { clientAuthenticationMethod: ClientAuthenticationMethod };

/** An error response of a token endpoint (RFC 6749, section 5.2). `error` is its OAuth error code, if it has one. */
export class TokenRefused extends Error {
  method: ClientAuthenticationMethod | undefined;

  constructor(
    readonly status: number,
    readonly error: string | undefined,
    readonly retryAfterSeconds?: number | undefined,
  ) {
    super(`the token endpoint refused with status ${status} and ${error ?? 'no error code'}`);
    this.name = 'TokenRefused';
  }
}

export interface TokenRequest extends AuthenticationHints {
  tokenEndpoint: string;
  registration: ClientRegistration;
  form: Record<string, string>;
  /**
   * Whether a refusal is followed by a request with the next method of client authentication. Default:
   * `isAboutTheClient`.
   */
  triesNextMethod?: (refusal: TokenRefused) => boolean;
  /**
   * Once aborted, no further request is sent. A request in progress is not aborted, as its response may hold tokens.
   */
  signal?: AbortSignal;
}

/** The pause before a code is sent again, in milliseconds. */
export const defaultExchangeRetryMs = 1000;

export class TokenClient {
  constructor(
    readonly http: OutboundHttp,
    readonly signingKeys: SigningKeys,
    private readonly exchangeRetryMs: number,
  ) {}

  /**
   * Sends a token request. When the client authentication is rejected, it is sent again with the next method.
   * @throws TokenRefused with the first rejection when no method is accepted
   * @throws OutboundRequestFailed when the endpoint cannot be reached, or its response has no token
   */
  async request({
    tokenEndpoint,
    registration,
    form,
    triesNextMethod = isAboutTheClient,
    signal,
    ...hints
  }: TokenRequest): Promise<TokenResponse> {
    let firstRefusal: TokenRefused | undefined;
    for (const method of methodsToTry(registration, hints)) {
      if (signal?.aborted) throw new OutboundRequestFailed('another process sends it');
      try {
        const body = await this.#send({ method, registration, tokenEndpoint }, form);
        return { ...body, clientAuthenticationMethod: method };
      } catch (error) {
        if (!(error instanceof TokenRefused)) throw error;
        error.method = method;
        if (!triesNextMethod(error)) throw error;
        firstRefusal ??= error;
      }
    }
    throw firstRefusal ?? new OutboundRequestFailed('there is no method of client authentication');
  }

  /**
   * Exchanges an authorization code for tokens (RFC 6749, section 4.1.3). After a server error, or without a response,
   * the code is sent once more: the user would have to sign in again otherwise.
   * @throws as `request` does. When the second attempt fails as well, the error is that of the first: the code may have
   * been consumed by it.
   */
  async exchangeCode(request: TokenRequest): Promise<TokenResponse> {
    try {
      return await this.request(request);
    } catch (error) {
      const mayBeMomentary =
        error instanceof OutboundRequestFailed || (error instanceof TokenRefused && error.status >= 500);
      if (!mayBeMomentary) throw error;
      await pause(this.exchangeRetryMs);
      return this.request(request).catch(() => {
        throw error;
      });
    }
  }

  /**
   * Finds out without a user whether the health system accepts our client.
   * @returns the accepted method; `refused` when all methods are; `unknown` when the responses do not show it
   */
  async acceptedMethod(
    request: Omit<TokenRequest, 'form'>,
  ): Promise<ClientAuthenticationMethod | 'refused' | 'unknown'> {
    try {
      return (await this.request({ ...request, form: madeUpCode(request.registration) })).clientAuthenticationMethod;
    } catch (error) {
      if (error instanceof OutboundRequestFailed) return 'unknown';
      if (!(error instanceof TokenRefused)) throw error;
      // `invalid_request` can be about the code, which some servers report so.
      if (error.status === 401 || isClientError(error)) return 'refused';
      const isAboutTheCode = error.error === 'invalid_grant' || error.status === 400;
      return isAboutTheCode && error.method ? error.method : 'unknown';
    }
  }

  async #send(client: AuthenticatedClient, form: Record<string, string>): Promise<TokenResponseBody> {
    const { status, text, retryAfterSeconds } = await postAsClient(this, client, client.tokenEndpoint, form);
    const body = parseJson(text);
    if (status < 200 || status > 299) throw new TokenRefused(status, errorCodeOf(body), retryAfterSeconds);
    const parsed = tokenResponse.safeParse(body);
    if (parsed.success) return parsed.data;
    // Some health systems send error responses with status 200.
    const error = errorCodeOf(body);
    if (error) throw new TokenRefused(status, error);
    throw new OutboundRequestFailed('the token endpoint sent no token');
  }
}

/**
 * A token request with a made-up authorization code. A server authenticates the client before it looks at the code (RFC
 * 6749, section 4.1.3), so `invalid_grant` says that the client was accepted.
 */
export function madeUpCode({ redirectUri }: ClientRegistration): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code: randomBytes(24).toString('base64url'),
    redirect_uri: redirectUri,
    code_verifier: randomBytes(32).toString('base64url'),
  };
}

type Refusal = Pick<TokenRefused, 'status' | 'error'>;

/** Whether the error code says that our client is refused (RFC 6749, section 5.2). */
export function isClientError({ error }: Refusal): boolean {
  return error === 'invalid_client' || error === 'unauthorized_client';
}

/**
 * Whether a refusal can be about the client authentication, so that another method may be accepted. Some systems refuse
 * a method with 401 and another code or none, or with 400 and `invalid_request`. Such a refusal consumes no code.
 */
export function isAboutTheClient({ status, error }: Refusal): boolean {
  if (error === 'invalid_grant') return false;
  return status === 401 || isClientError({ status, error }) || (status === 400 && error === 'invalid_request');
}
