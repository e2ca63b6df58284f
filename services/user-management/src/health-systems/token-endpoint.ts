import { z } from 'zod';
import type { SigningKeys } from '../client-keys/signing-keys';
import { type OutboundHttp, OutboundRequestFailed } from '../outbound/outbound-http';
import { errorCodeOf, parseJson } from './authorization-server';
import { type ClientAuthenticationMethod, authenticateClient, methodsToTry } from './client-authentication';
import type { ClientRegistration } from './registrations';

const optionalText = z.string().min(1).optional().catch(undefined);

const tokenResponse = z.object({
  access_token: z.string().min(1),
  /** Seconds. */
  expires_in: z.coerce.number().positive().optional().catch(undefined),
  refresh_token: optionalText,
  scope: optionalText,
  patient: z
    .union([z.string().min(1), z.number().transform(String)])
    .optional()
    .catch(undefined),
  id_token: optionalText,
});
type TokenResponseBody = z.output<typeof tokenResponse>;

/** A successful token response (RFC 6749, section 5.1), and the method of client authentication that was accepted. */
export type TokenResponse = TokenResponseBody & { clientAuthenticationMethod: ClientAuthenticationMethod };

/** An error response of a token endpoint (RFC 6749, section 5.2). `error` is its OAuth error code, if it has one. */
export class TokenRefused extends Error {
  constructor(
    readonly status: number,
    readonly error: string | undefined,
  ) {
    super(`the token endpoint refused with status ${status} and ${error ?? 'no error code'}`);
    this.name = 'TokenRefused';
  }
}

export interface TokenRequest {
  tokenEndpoint: string;
  registration: ClientRegistration;
  signingAlgorithms?: readonly string[] | undefined;
  /** The method of client authentication that was accepted last. */
  lastAcceptedMethod?: string | undefined;
  form: Record<string, string>;
  /** Once aborted, no further request is sent. A request under way is not aborted, as its response may hold tokens. */
  signal?: AbortSignal;
}

/** Requests tokens from health systems. */
export class TokenEndpoint {
  constructor(
    private readonly http: OutboundHttp,
    private readonly signingKeys: SigningKeys,
  ) {}

  /**
   * Sends a token request. When the client authentication is rejected, it is sent again with the next method.
   * @throws TokenRefused with the first rejection when no method is accepted
   * @throws OutboundRequestFailed when the endpoint cannot be reached, or its response has no token
   */
  async request({
    tokenEndpoint,
    registration,
    signingAlgorithms,
    lastAcceptedMethod,
    form,
    signal,
  }: TokenRequest): Promise<TokenResponse> {
    let firstRefusal: TokenRefused | undefined;
    for (const method of methodsToTry(registration, signingAlgorithms, lastAcceptedMethod)) {
      if (signal?.aborted) throw new OutboundRequestFailed('another process sends it');
      const credentials = await authenticateClient(method, registration, tokenEndpoint, this.signingKeys);
      try {
        const body = await this.#send(tokenEndpoint, { ...form, ...credentials.form }, credentials.headers);
        return { ...body, clientAuthenticationMethod: method };
      } catch (error) {
        if (!(error instanceof TokenRefused) || !isAboutTheClient(error)) throw error;
        firstRefusal ??= error;
      }
    }
    throw firstRefusal ?? new OutboundRequestFailed('there is no method of client authentication');
  }

  async #send(
    tokenEndpoint: string,
    form: Record<string, string>,
    headers: Record<string, string>,
  ): Promise<TokenResponseBody> {
    const { status, text } = await this.http.postForm(tokenEndpoint, form, headers);
    const body = parseJson(text);
    if (status < 200 || status > 299) throw new TokenRefused(status, errorCodeOf(body));
    const parsed = tokenResponse.safeParse(body);
    if (parsed.success) return parsed.data;
    // Some health systems send error responses with status 200.
    const error = errorCodeOf(body);
    if (error) throw new TokenRefused(status, error);
    throw new OutboundRequestFailed('the token endpoint sent no token');
  }
}

function isAboutTheClient({ status, error }: TokenRefused): boolean {
  return error === 'invalid_client' || (error === undefined && status === 401);
}
