import { createHash } from 'node:crypto';

/** Binds an authorization to the browser that began it: each has a cookie of its own, so that two tabs do not disturb each other. */
export class BrowserCookie {
  readonly #secure: boolean;

  /** @param baseUrl under https the cookie is bound to this host and to https */
  constructor(baseUrl: string) {
    this.#secure = baseUrl.startsWith('https:');
  }

  /** A `Set-Cookie` value. */
  set(state: string, secret: string, maxAgeSeconds: number): string {
    return `${this.#name(state)}=${secret}; Max-Age=${maxAgeSeconds}; ${this.#attributes()}`;
  }

  clear(state: string): string {
    return `${this.#name(state)}=; Max-Age=0; ${this.#attributes()}`;
  }

  /** The secret that a request's `Cookie` header holds for this authorization. */
  read(state: string, header: string | undefined): string | undefined {
    const prefix = `${this.#name(state)}=`;
    const pair = header?.split(/; */).find((candidate) => candidate.startsWith(prefix));
    return pair?.slice(prefix.length) || undefined;
  }

  #name(state: string): string {
    const of = createHash('sha256').update(`cookie ${state}`).digest('hex').slice(0, 16);
    return `${this.#secure ? '__Host-' : ''}connect-${of}`;
  }

  #attributes(): string {
    return `Path=/; HttpOnly; SameSite=Lax${this.#secure ? '; Secure' : ''}`;
  }
}
