import { isErrorCode, tokenResponse, userReadScope, userWithCode } from '@tributary/contracts';
import type { OutboundResponse, PublicApi } from '@tributary/outbound';
import { HttpError, unavailable } from '@tributary/service-kit';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ClientAccess } from './client-access';
import { answeredBy, usualLimits } from './forwarding';

/** Half of the life of an access token: each one costs a request of the hourly limit of the client. */
const keptMs = 60 * 60_000;
const maxCached = 10_000;

/** A developer who reads the record of a user of a client. */
export interface ReadingDeveloper {
  clientId: string;
  serviceUserId: number;
  developer: string;
}

const refusal = z.object({ error_code: z.string(), error: z.string() });

/**
 * Access tokens by which developers read the records of the users of their clients: as the client gets them, and for
 * reading only. The temporary secret names the developer to auth, and so the tokens do.
 */
export class UserTokens {
  readonly #tokens = new LRUCache<string, string, { of: ReadingDeveloper; requestId: string }>({
    max: maxCached,
    ttl: keptMs,
    fetchMethod: (_key, _stale, { context: { of, requestId } }) => this.#newToken(of, requestId),
  });

  constructor(
    private readonly apis: Readonly<Record<'base' | 'auth', PublicApi>>,
    private readonly access: ClientAccess,
  ) {}

  /** @throws HttpError as user-management refuses a code, such as 404 for the users of other clients; 503 */
  tokenOf(of: ReadingDeveloper, requestId: string): Promise<string> {
    return this.#tokens.forceFetch(keyOf(of), { context: { of, requestId } });
  }

  /** After a service has refused the token. Another request may have got a new one meanwhile, or be about to. */
  forget(of: ReadingDeveloper, refused: string): void {
    if (this.#tokens.peek(keyOf(of)) === refused) this.#tokens.delete(keyOf(of));
  }

  async #newToken(of: ReadingDeveloper, requestId: string): Promise<string> {
    const { clientId, serviceUserId, developer } = of;
    const attempt = async (): Promise<OutboundResponse> => {
      const client_secret = await this.access.secretOf(clientId, developer, requestId);
      return this.#post('base', '/user-management/v1/user/auth-code', { service_user_id: serviceUserId }, requestId, {
        client_id: clientId,
        client_secret,
      });
    };
    let issued = await attempt();
    if (issued.status === 401) {
      this.access.forgetSecret(clientId, developer);
      issued = await attempt();
    }
    const { code } = answerOf(issued, userWithCode);
    const client_secret = await this.access.secretOf(clientId, developer, requestId);
    const grant = { grant_type: 'authorization_code', code, scope: userReadScope, client_id: clientId, client_secret };
    return answerOf(await this.#post('auth', '/oauth2/token', grant, requestId), tokenResponse).access_token;
  }

  #post(
    api: 'base' | 'auth',
    path: string,
    body: object,
    requestId: string,
    headers: Record<string, string> = {},
  ): Promise<OutboundResponse> {
    return answeredBy(
      this.apis[api].http.request({
        method: 'POST',
        url: this.apis[api].url + path,
        headers: { ...headers, 'Content-Type': 'application/json', 'X-Request-Id': requestId },
        body: JSON.stringify(body),
        ...usualLimits,
      }),
    );
  }
}

function keyOf({ developer, clientId, serviceUserId }: ReadingDeveloper): string {
  return `${developer} ${clientId} ${serviceUserId}`;
}

/** @throws HttpError as the API has refused the request; 503 when the answer is another */
function answerOf<Answer>({ status, headers, text }: OutboundResponse, schema: z.ZodType<Answer>): Answer {
  const answer: unknown = parsed(text);
  const expected = schema.safeParse(answer);
  if (status === 200 && expected.success) return expected.data;
  const { data } = refusal.safeParse(answer);
  if (data && status < 500 && isErrorCode(data.error_code)) {
    const wait = headers['retry-after'];
    throw new HttpError(data.error_code, data.error, wait === undefined ? {} : { 'Retry-After': wait });
  }
  throw unavailable('the record of the user cannot be read now; try again shortly');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
