/** The tokens of a user. */
export interface TokenSet {
  access_token: string;
  refresh_token: string;
  /** When the access token expires, in milliseconds since the Unix epoch. */
  expires_at: number;
}

/** What a store keeps for a user. All of it can be stored as JSON. The tokens are secrets: encrypt them at rest. */
export interface StoredTokens extends TokenSet {
  /** Changes with each write. */
  version: string;
  /** Set while a process refreshes the tokens: when it began, in milliseconds since the Unix epoch. */
  refresh_started_at?: number;
}

/**
 * Keeps the tokens of one user for all processes that use them. In SQL, `compareAndSet` is
 * `UPDATE … SET tokens = :next WHERE user = … AND tokens->>'version' = :expectedVersion`, and its result is whether a
 * row was updated.
 */
export interface TokenStore {
  /** @returns the last stored tokens */
  load(): Promise<StoredTokens>;
  /** Stores `next` in one atomic step if the stored version is the expected one. @returns whether it was stored */
  compareAndSet(expectedVersion: string, next: StoredTokens): Promise<boolean>;
}

/** The value for a store that has no tokens of the user. */
export function newStoredTokens(tokens: TokenSet): StoredTokens {
  const { access_token, refresh_token, expires_at } = tokens;
  return { access_token, refresh_token, expires_at, version: crypto.randomUUID() };
}

/** A store in the memory of this process. */
export function memoryTokenStore(tokens: TokenSet): TokenStore {
  let stored = newStoredTokens(tokens);
  return {
    load: async () => stored,
    compareAndSet: async (expectedVersion, next) => {
      if (stored.version !== expectedVersion) return false;
      stored = next;
      return true;
    },
  };
}
