import axios from 'axios';
import type { Express } from 'express';
import request, { type Response, type Test } from 'supertest';

/** The browser of a user: stores cookies, and follows redirects between this service and health systems. */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** The cookies of health systems, by origin. */
  readonly #cookiesOf = new Map<string, Map<string, string>>();

  constructor(
    private readonly app: Express,
    private readonly baseUrl: string,
  ) {}

  /** Sends one request to this service. */
  async visit(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(request(this.app).get(this.#pathOf(url)), headers);
  }

  /** Submits a form of this service. */
  async submit(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(request(this.app).post(this.#pathOf(url)).type('form').send(fields), headers);
  }

  #pathOf(url: string): string {
    return url.replace(this.baseUrl, '');
  }

  async #send(sent: Test, headers: Record<string, string>): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await sent.set({ ...(cookie ? { Cookie: cookie } : {}), ...headers });
    for (const line of (response.headers['set-cookie'] as unknown as string[] | undefined) ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /**
   * Follows redirects until one leads to a URL that is neither of this service nor of one of the `systems`.
   * @returns that URL
   */
  async follow(url: string, systems: string[]): Promise<URL> {
    let at = url;
    for (let hops = 0; hops < 20; hops++) {
      const known = at.startsWith(this.baseUrl) || at.startsWith('/');
      if (!known && !systems.some((system) => at.startsWith(system))) return new URL(at);
      const location = known ? (await this.visit(at)).headers['location'] : await this.#visitSystem(at);
      if (!location) throw new Error(`the redirects ended at ${at.split('?')[0]}`);
      at = location.startsWith('/') && !known ? new URL(location, at).href : location;
    }
    throw new Error('there are too many redirects');
  }

  /** Sends one request to a health system. @returns the URL that it redirects to */
  async #visitSystem(url: string): Promise<string | undefined> {
    const { origin } = new URL(url);
    const cookies = this.#cookiesOf.get(origin) ?? new Map<string, string>();
    this.#cookiesOf.set(origin, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { headers } = await axios.get(url, {
      maxRedirects: 0,
      validateStatus: () => true,
      headers: cookie ? { Cookie: cookie } : {},
    });
    for (const line of headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location: unknown = headers['location'];
    return typeof location === 'string' ? location : undefined;
  }
}
