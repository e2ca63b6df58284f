import { type AuthClient, type Introspection, maxTokensPerIntrospection } from '@tributary/contracts';
import DataLoader from 'dataloader';
import { unavailable } from '../api/http-error';

interface Key {
  token: string;
  requestId: string | undefined;
}

/** Concurrent calls to auth. Tokens that arrive while all of them are in progress wait for the next call. */
const maxConcurrentCalls = 2;
/** Requests that wait for a call or its response: a hundred calls. Further ones are refused. */
const maxWaiting = 10_000;

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
  #requests = 0;

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

  /** @throws InternalCallError when auth does not respond; HttpError 503 when too many requests wait for it */
  async introspect(token: string, requestId?: string): Promise<Introspection> {
    if (this.#requests >= maxWaiting) throw unavailable('a part of the service has too much to do; try again shortly');
    this.#requests++;
    try {
      return await this.#loader.load({ token, requestId });
    } finally {
      this.#requests--;
    }
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
