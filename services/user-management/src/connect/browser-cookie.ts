import { createHash } from 'node:crypto';

/** The value of the cookie after its state was used. */
export const usedMark = 'used';

/**
 * The cookie that binds a pending authorization to the browser that began it. Each has its own name, so that two tabs
 * do not interfere.
 */
export class BrowserCookie {
  readonly #secure: boolean;

  /** @param baseUrl with https the cookie gets `Secure` and the prefix `__Host-` */
  constructor(baseUrl: string) {
    this.#secure = baseUrl.startsWith('https:');
  }

  /** A `Set-Cookie` value. */
  set(state: string, secret: string, maxAgeSeconds: number): string {
    return `${this.#name(state)}=${secret}; Max-Age=${maxAgeSeconds}; ${this.#attributes()}`;
  }

  /** The `Set-Cookie` value that replaces the secret after its use, by a mark that this browser has used the state. */
  markUsed(state: string, maxAgeSeconds: number): string {
    return this.set(state, usedMark, maxAgeSeconds);
  }

  /** The secret of a pending authorization in the `Cookie` header of a request, or the mark of its use. */
  read(state: string, header: string | undefined): string | undefined {
    const prefix = `${this.#name(state)}=`;
    const pair = header?.split(/; */).find((candidate) => candidate.startsWith(prefix));
    return pair?.slice(prefix.length) || undefined;
  }

  #name(state: string): string {
    const suffix = createHash('sha256').update(`cookie ${state}`).digest('hex').slice(0, 16);
    return `${this.#secure ? '__Host-' : ''}connect-${suffix}`;
  }

  #attributes(): string {
    return `Path=/; HttpOnly; SameSite=Lax${this.#secure ? '; Secure' : ''}`;
  }
}
