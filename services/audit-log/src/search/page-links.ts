import { JsonSealer, type SealerSecret, UnsealingError } from '@tributary/key-vault';
import type { UserOrClient } from '@tributary/service-kit';
import { z } from 'zod';
import type { PagePosition } from './find-events';

/** The query parameter of links to further pages. */
export const pageParameter = '_page';

const version = 1;
const maxLength = 8000;

const state = z.tuple([
  z.literal(version),
  z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  z.object({
    time: z.number(),
    after: z.object({ startedAt: z.number(), streamId: z.string(), sequence: z.number() }).optional(),
    index: z.number().optional(),
  }),
]);

/** The parameters of a search as they were sent. */
export type SentParameters = Record<string, string | string[]>;

/**
 * The tokens of links to further pages. A token contains the search and the place at which the page begins, sealed for
 * its caller. The service stores nothing for it.
 */
export class PageLinks {
  readonly #sealer: JsonSealer;

  /** @param secret PAGE_TOKEN_KEY, the same for all replicas */
  constructor(secret: SealerSecret) {
    this.#sealer = new JsonSealer({ secret, use: 'audit page tokens', deflateFromBytes: 500, maxBytes: 64 * 1024 });
  }

  seal(parameters: SentParameters, position: PagePosition, caller: UserOrClient): string {
    return this.#sealer.sealToken([version, parameters, position], associatedData(caller));
  }

  /** @returns undefined when the token was not made for this caller by this version */
  open(token: string, caller: UserOrClient): { parameters: SentParameters; position: PagePosition } | undefined {
    if (token.length > maxLength) return undefined;
    try {
      const opened = state.safeParse(this.#sealer.openToken(token, associatedData(caller)));
      return opened.success ? { parameters: opened.data[1], position: opened.data[2] } : undefined;
    } catch (error) {
      if (error instanceof UnsealingError) return undefined;
      throw error;
    }
  }
}

function associatedData({ clientId, serviceUserId }: UserOrClient): string {
  return `audit page ${clientId} ${serviceUserId ?? 'all'}`;
}
