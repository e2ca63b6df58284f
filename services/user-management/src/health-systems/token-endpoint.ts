import { z } from 'zod';
import type { SigningKeys } from '../client-keys/signing-keys';
import { OutboundRequestFailed, type OutboundHttp } from '../outbound/outbound-http';
import { errorCodeOf, parsedJson } from './authorization-server';
import { type ClientAuthentication, authenticate, authenticationsToTry } from './client-authentication';
import type { ClientRegistration } from './registrations';

const optionalText = z.string().min(1).optional().catch(undefined);

const answer = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
  refresh_token: optionalText,
  scope: optionalText,
  patient: z
    .union([z.string().min(1), z.number().transform(String)])
    .optional()
    .catch(undefined),
  id_token: optionalText,
});

export type TokenResponse = z.output<typeof answer> & { clientAuthentication: ClientAuthentication };

/** The token endpoint said no: `error` is its OAuth error code, when it gave one. */
export class TokenRefused extends Error {
  constructor(
    readonly status: number,
    readonly error: string | undefined,
  ) {
    super(`the token endpoint refused with ${status} ${error ?? 'and no reason'}`);
    this.name = 'TokenRefused';
  }
}

export interface TokenRequest {
  tokenEndpoint: string;
  client: ClientRegistration;
  signingAlgorithms?: readonly string[] | undefined;
  /** The way of authentication that worked last time. */
  remembered?: string | undefined;
  form: Record<string, string>;
  /** Once aborted, no further request is sent; one under way is not cut off, as its answer may hold tokens. */
  signal?: AbortSignal;
}

/** Asks health systems for tokens. */
export class TokenEndpoint {
  constructor(
    private readonly http: OutboundHttp,
    private readonly keys: SigningKeys,
  ) {}

  /**
   * Sends a token request, with the next way of client authentication when the one before was not accepted.
   * @throws TokenRefused, of the registered way when none is accepted; OutboundRequestFailed when the endpoint cannot be reached or makes no sense
   */
  async request({
    tokenEndpoint,
    client,
    signingAlgorithms,
    remembered,
    form,
    signal,
  }: TokenRequest): Promise<TokenResponse> {
    let firstRefusal: TokenRefused | undefined;
    for (const way of authenticationsToTry(client, signingAlgorithms, remembered)) {
      if (signal?.aborted) throw new OutboundRequestFailed('another process asks');
      const parts = await authenticate(way, client, tokenEndpoint, this.keys);
      try {
        return {
          ...(await this.#send(tokenEndpoint, { ...form, ...parts.form }, parts.headers)),
          clientAuthentication: way,
        };
      } catch (error) {
        if (!(error instanceof TokenRefused) || !isAboutTheClient(error)) throw error;
        firstRefusal ??= error;
      }
    }
    throw firstRefusal ?? new OutboundRequestFailed('there is no way to authenticate');
  }

  async #send(
    tokenEndpoint: string,
    form: Record<string, string>,
    headers: Record<string, string>,
  ): Promise<z.output<typeof answer>> {
    const { status, text } = await this.http.postForm(tokenEndpoint, form, headers);
    const body = parsedJson(text);
    if (status < 200 || status > 299) throw new TokenRefused(status, errorCodeOf(body));
    const parsed = answer.safeParse(body);
    if (parsed.success) return parsed.data;
    // Some health systems send errors with status 200.
    const error = errorCodeOf(body);
    if (error) throw new TokenRefused(status, error);
    throw new OutboundRequestFailed('the token endpoint sent no token');
  }
}

function isAboutTheClient({ status, error }: TokenRefused): boolean {
  return error === 'invalid_client' || (error === undefined && status === 401);
}
