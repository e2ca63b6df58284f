import { JsonSealer, UnsealingError } from '@tributary/key-vault';

/**
 * Stateless tokens: codes, access tokens, refresh tokens, sign-in transactions and page cursors contain their own data, sealed under a secret, so that
 * they stay valid when the sandbox is restarted.
 */
export class SealedTokens {
  readonly #sealer: JsonSealer;

  constructor(secret: string) {
    this.#sealer = new JsonSealer({ secret, use: 'sandbox tokens', deflateFromBytes: Infinity, maxBytes: 0 });
  }

  /** @param purpose such as `code`; only the same purpose opens the token */
  seal(purpose: string, data: object): string {
    return this.#sealer.sealToken(data, purpose);
  }

  /** The data of the token; undefined when it is forged, altered or of another purpose. */
  open<Data extends object>(purpose: string, token: string): Data | undefined {
    try {
      return this.#sealer.openToken(token, purpose) as Data;
    } catch (error) {
      if (error instanceof UnsealingError) return undefined;
      throw error;
    }
  }
}
