import { createHash } from 'node:crypto';

/** Of 70 bytes each; servers and proxies accept headers of 8 kB and more. */
const maxCookies = 30;

/**
 * A cookie that binds a pending authorization, a link, a page or a session to the browser that began it. Each has its
 * own name, so that two tabs do not interfere.
 */
export class BrowserCookie {
  readonly #secure: boolean;

  /**
   * @param baseUrl with https the cookie gets `Secure` and the prefix `__Host-`
   * @param use begins the name of the cookie
   */
  constructor(
    baseUrl: string,
    private readonly use = 'connect',
  ) {
    this.#secure = baseUrl.startsWith('https:');
  }

  /** @param isFramed whether a page of another site shows the page: its cookie is for frames in that site only */
  set(id: string, secret: string, maxAgeSeconds: number, isFramed = false): string {
    return `${this.#name(id)}=${secret}; Max-Age=${maxAgeSeconds}; ${this.#attributes(isFramed)}`;
  }

  read(id: string, header: string | undefined): string | undefined {
    const prefix = `${this.#name(id)}=`;
    const pair = header?.split(/; */).find((candidate) => candidate.startsWith(prefix));
    return pair?.slice(prefix.length) || undefined;
  }

  /**
   * The `Set-Cookie` values that end the oldest of many cookies, of which a request could not carry more. Browsers send
   * the oldest first.
   */
  endOldest(header: string | undefined, isFramed = false): string[] {
    const names = [...(header ?? '').matchAll(/(?:^|; *)((?:__Host-)?connect-[0-9a-f]{16})=/g)].map(([, name]) => name);
    return names.slice(0, -maxCookies).map((name) => `${name}=; Max-Age=0; ${this.#attributes(isFramed)}`);
  }

  #name(id: string): string {
    const suffix = createHash('sha256').update(`cookie ${id}`).digest('hex').slice(0, 16);
    return `${this.#secure ? '__Host-' : ''}${this.use}-${suffix}`;
  }

  /** https://developer.mozilla.org/en-US/docs/Web/Privacy/Guides/Privacy_sandbox/Partitioned_cookies */
  #attributes(isFramed: boolean): string {
    if (!this.#secure) return 'Path=/; HttpOnly; SameSite=Lax';
    return `Path=/; HttpOnly; SameSite=${isFramed ? 'None' : 'Lax'}; Secure${isFramed ? '; Partitioned' : ''}`;
  }
}
