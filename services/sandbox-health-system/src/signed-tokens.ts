import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Stateless tokens: codes, access tokens, refresh tokens, sign-in transactions and page cursors contain their own data
 * with an HMAC-SHA256, so that they stay valid when the sandbox is restarted. Equal data gives equal tokens: the
 * scenario `refresh-same` returns the same refresh token again, which the randomized sealing of the other services
 * cannot do.
 */
export class SignedTokens {
  constructor(private readonly secret: string) {}

  /** @param purpose such as `code`; the token is valid for this purpose only */
  sign(purpose: string, data: object): string {
    const body = Buffer.from(JSON.stringify(data)).toString('base64url');
    return `${body}.${this.#mac(purpose, body)}`;
  }

  /** The data of the token; undefined when it is forged, altered or of another purpose. */
  verify<Data extends object>(purpose: string, token: string): Data | undefined {
    const [body, mac, ...rest] = token.split('.');
    if (!body || !mac || rest.length > 0) return undefined;
    const expected = Buffer.from(this.#mac(purpose, body));
    const given = Buffer.from(mac);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Data;
  }

  #mac(purpose: string, body: string): string {
    return createHmac('sha256', this.secret).update(purpose).update('\0').update(body).digest('base64url');
  }
}
