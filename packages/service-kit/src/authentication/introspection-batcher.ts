import { type AuthClient, type Introspection, maxTokensPerIntrospection } from '@tributary/contracts';
import DataLoader from 'dataloader';

interface Key {
  token: string;
  requestId: string | undefined;
}

/** Concurrent calls to auth. Tokens that arrive while all of them are in progress wait for the next call. */
const maxConcurrentCalls = 2;

/**
 * Introspects access tokens at auth, many per call: the overhead of an internal call is several times the cost of one
 * introspection. A token that is requested again before its batch is sent is sent once. A batch that has been sent
 * takes no further callers, because auth may have read the token before a revocation that such a caller has already
 * received of.
 */
export class IntrospectionBatcher {
  readonly #loader: DataLoader<Key, Introspection, string>;
  readonly #waiting: (() => void)[] = [];
  #calls = 0;

  constructor(private readonly auth: Pick<AuthClient, 'introspect'>) {
    this.#loader = new DataLoader((keys) => this.#send(keys), {
      maxBatchSize: maxTokensPerIntrospection,
      cacheKeyFn: ({ token }) => token,
      batchScheduleFn: (dispatch) => {
        this.#waiting.push(dispatch);
        setImmediate(() => this.#dispatchNext());
      },
    });
  }

  /** @throws InternalCallError when auth does not respond */
  introspect(token: string, requestId?: string): Promise<Introspection> {
    return this.#loader.load({ token, requestId });
  }

  #dispatchNext(): void {
    if (this.#calls < maxConcurrentCalls) this.#waiting.shift()?.();
  }

  async #send(keys: readonly Key[]): Promise<Introspection[]> {
    for (const key of keys) this.#loader.clear(key);
    this.#calls++;
    try {
      const tokens = keys.map(({ token }) => token);
      return await this.auth.introspect(tokens, { requestId: keys[0]?.requestId });
    } finally {
      this.#calls--;
      this.#dispatchNext();
    }
  }
}
