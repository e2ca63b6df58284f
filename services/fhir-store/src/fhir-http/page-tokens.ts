import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { DataKey, UnsealingError } from '@tributary/key-vault';
import type { ZodType } from 'zod';
import { FhirError, badRequest, pageGone } from './fhir-error';

/** The parameter of paging links. */
export const pageParameter = '_page';

/** Of the form of the states, and of the orders that the places in them refer to. To be raised with every change of either. */
const version = 1;
const deflateFrom = 1000;
/** What an address may hold beside everything else in a request's head. */
const maxTokenLength = 16_000;
const maxBytes = 4 * 1024 * 1024;

/**
 * The tokens of paging links. A token holds the query and the place where the next page begins, sealed under the service's paging key
 * for one user and one address: it can be neither read, nor changed, nor used elsewhere, and nothing is kept on the server for it.
 */
export class PageTokens {
  readonly #key: DataKey;

  constructor(secret: string) {
    this.#key = DataKey.fromBytes(createHash('sha256').update(secret).digest());
  }

  /** @throws FhirError 400 when the query is too long to be put into an address */
  seal(state: unknown, userId: number, address: string): string {
    const text = Buffer.from(JSON.stringify([version, state]));
    const plain =
      text.length < deflateFrom
        ? Buffer.concat([Buffer.of(0), text])
        : Buffer.concat([Buffer.of(1), deflateRawSync(text)]);
    const token = this.#key.seal(plain, place(userId, address)).toString('base64url');
    if (token.length > maxTokenLength)
      throw new FhirError(
        400,
        'the search is too long for a link to its next page: ask for all on one page by _count, or for less',
        'too-costly',
      );
    return token;
  }

  /**
   * @param form what the state must look like
   * @throws FhirError 400 when the token was not made here for this user and address, 410 when another version of the service made it
   */
  open<State>(token: string, userId: number, address: string, form: ZodType<State>): State {
    if (token.length > maxTokenLength || !/^[A-Za-z0-9_-]{40,}$/.test(token)) throw unknownPage();
    let sealed: unknown;
    try {
      const plain = this.#key.open(Buffer.from(token, 'base64url'), place(userId, address));
      const text =
        plain[0] === 0 ? plain.subarray(1) : inflateRawSync(plain.subarray(1), { maxOutputLength: maxBytes });
      sealed = JSON.parse(text.toString());
    } catch (error) {
      if (error instanceof UnsealingError) throw unknownPage();
      throw error;
    }
    const [made, state] = Array.isArray(sealed) ? (sealed as unknown[]) : [];
    const read = form.safeParse(state);
    if (made !== version || !read.success) throw pageGone();
    return read.data;
  }
}

function place(userId: number, address: string): string {
  return `page ${userId} ${address}`;
}

function unknownPage(): Error {
  return badRequest('the paging link is not valid: use it as it was given, with the token of the same user');
}
