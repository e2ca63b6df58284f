import { JsonSealer, type SealerSecret, UnsealingError } from '@tributary/key-vault';
import type { ZodType } from 'zod';
import { FhirError, badRequest, pageGone } from './fhir-error';

/** The query parameter of paging links. */
export const pageParameter = '_page';

/**
 * The version of the token format. Increment it when the state in tokens or an order whose positions they contain
 * changes.
 */
const version = 2;
/** The limit of a token in characters, below the limits of URLs and request headers. */
const maxTokenLength = 16_000;
const maxBytes = 4 * 1024 * 1024;

/**
 * The tokens of paging links. A token contains the query and the position at which the next page begins. It is
 * encrypted by AES-256-GCM with user and path as associated data, so it is valid for one user and path only. The
 * service stores no state of a token.
 */
export class PageTokens {
  readonly #sealer: JsonSealer;

  /** @param secret PAGE_TOKEN_KEY, the same for all replicas */
  constructor(secret: string | SealerSecret) {
    this.#sealer = new JsonSealer({ secret, use: 'page tokens', deflateFromBytes: 1000, maxBytes });
  }

  /**
   * @param path of the search, below the service
   * @throws FhirError 400 when the query is too long for a URL
   */
  seal(state: unknown, userId: number, path: string): string {
    const token = this.#sealer.sealToken([version, state], associatedData(userId, path));
    if (token.length > maxTokenLength)
      throw new FhirError(
        400,
        'the search is too long for a link to its next page: request all on one page by _count, or use fewer criteria',
        'too-costly',
      );
    return token;
  }

  /**
   * @param schema of the state
   * @throws FhirError 400 when the token was not created for this user and path, 410 when another version of the
   * service created it
   */
  open<State>(token: string, userId: number, path: string, schema: ZodType<State>): State {
    if (token.length > maxTokenLength) throw invalidLink();
    let content: unknown;
    try {
      content = this.#sealer.openToken(token, associatedData(userId, path));
    } catch (error) {
      if (error instanceof UnsealingError) throw invalidLink();
      throw error;
    }
    const [madeBy, state] = Array.isArray(content) ? (content as unknown[]) : [];
    const parsed = schema.safeParse(state);
    if (madeBy !== version || !parsed.success) throw pageGone();
    return parsed.data;
  }
}

function associatedData(userId: number, path: string): string {
  return `page ${userId} ${path}`;
}

function invalidLink(): Error {
  return badRequest('the paging link is not valid: use it unchanged, with the token of the same user');
}
