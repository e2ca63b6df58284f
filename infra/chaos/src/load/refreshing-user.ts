import { setTimeout as pause } from 'node:timers/promises';
import { Findings } from '../report/finding';
import type { ChaosSuite } from '../suite/chaos-suite';
import type { Workload } from './workload';
import { type Http, bearer } from './http';
import { type ClientCredentials, type User, tokens } from './users';

const pauseMs = 400;

/**
 * A user whose tokens are refreshed continuously. After a lost response the same refresh token is sent again, as
 * clients do.
 */
export class RefreshingUser implements Workload {
  readonly operations = ['refresh', 'use token'];
  readonly #findings = new Findings();
  #refreshes = 0;

  constructor(
    private readonly suite: ChaosSuite,
    private readonly client: ClientCredentials,
    private readonly user: User,
    private readonly http: Http,
  ) {}

  ledger(): Record<string, number> {
    return { refreshes: this.#refreshes };
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#findings.all().length === 0) {
      await this.#refresh(this.http, signal);
      await this.#use(this.http, signal);
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Checks that the tokens issued last are valid. */
  async check(http: Http, signal: AbortSignal): Promise<Findings> {
    if (this.#findings.all().length === 0) {
      await this.#use(http, signal);
      await this.#refresh(http, signal);
    }
    return this.#findings;
  }

  async #refresh(http: Http, signal: AbortSignal): Promise<void> {
    const form = { ...this.client, refresh_token: this.user.refreshToken, grant_type: 'refresh_token' };
    const answer = await http.persist(
      { operation: 'refresh', method: 'POST', url: `${this.suite.running.ready.auth_url}/oauth2/token`, form },
      signal,
    );
    if (answer?.status === 200) {
      const { access_token, refresh_token } = tokens.parse(answer.json());
      this.#refreshes++;
      this.user.accessToken = access_token;
      this.user.refreshToken = refresh_token;
    } else if (answer) {
      this.#findings.add('lost', `the tokens of ${this.user.app_user_id}: a refresh answered ${answer.status}`);
    }
  }

  async #use(http: Http, signal: AbortSignal): Promise<void> {
    const answer = await http.persist(
      {
        operation: 'use token',
        method: 'GET',
        url: `${this.suite.running.ready.base_url}/r4/Basic?_count=1`,
        headers: bearer(this.user.accessToken),
      },
      signal,
    );
    if (answer && answer.status !== 200)
      this.#findings.add('lost', `the access token of ${this.user.app_user_id}: a search answered ${answer.status}`);
  }
}
