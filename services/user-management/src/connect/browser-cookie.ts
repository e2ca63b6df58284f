import { createHash } from 'node:crypto';

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

  set(state: string, secret: string, maxAgeSeconds: number): string {
    return `${this.#name(state)}=${secret}; Max-Age=${maxAgeSeconds}; ${this.#attributes()}`;
  }

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
