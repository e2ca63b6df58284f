import type { Load, Workload } from './workload';
import { type Http, get } from './http';
import { type User, tokens } from './users';
import { pause } from '../pause';

const pauseMs = 400;

/**
 * A user whose tokens are refreshed continuously. After a lost response the same refresh token is sent again, as
 * clients do.
 */
export class RefreshingUser implements Workload {
  readonly operations = ['refresh', 'use token'];
  #refreshes = 0;
  #wasRefused = false;

  constructor(
    private readonly load: Load,
    private readonly user: User,
  ) {}

  ledger(): Record<string, number> {
    return { refreshes: this.#refreshes };
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#wasRefused) {
      await this.#refresh(this.load.http, signal);
      await this.#use(this.load.http, signal);
      await pause(pauseMs, signal);
    }
  }

  /** Checks that the tokens issued last are valid. */
  async check(http: Http, signal: AbortSignal): Promise<void> {
    if (this.#wasRefused) return;
    await this.#use(http, signal);
    await this.#refresh(http, signal);
  }

  async #refresh(http: Http, signal: AbortSignal): Promise<void> {
    const form = { ...this.load.client, refresh_token: this.user.refreshToken, grant_type: 'refresh_token' };
    const answer = await http.persist(
      { operation: 'refresh', method: 'POST', url: `${this.load.ready.auth_url}/oauth2/token`, form },
      signal,
    );
    if (answer?.status === 200) {
      const { access_token, refresh_token } = tokens.parse(answer.json());
      this.#refreshes++;
      this.user.accessToken = access_token;
      this.user.refreshToken = refresh_token;
    } else if (answer) {
      this.#refused(`the tokens of ${this.user.app_user_id}: a refresh answered ${answer.status}`);
    }
  }

  async #use(http: Http, signal: AbortSignal): Promise<void> {
    const url = `${this.load.ready.base_url}/r4/Basic?_count=1`;
    const answer = await http.persist(get('use token', url, this.user.accessToken), signal);
    if (answer && answer.status !== 200)
      this.#refused(`the access token of ${this.user.app_user_id}: a search answered ${answer.status}`);
  }

  #refused(what: string): void {
    this.#wasRefused = true;
    this.load.findings.add('lost', what);
  }
}
