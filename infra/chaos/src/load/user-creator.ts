import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { Findings } from '../report/finding';
import type { ChaosSuite } from '../suite/chaos-suite';
import type { Workload } from './workload';
import { type Http, bearer } from './http';
import { type ClientCredentials, type User, createUser } from './users';

const pauseMs = 1_000;
const userList = z.object({ entry: z.array(z.object({ service_user_id: z.int(), app_user_id: z.string() })) });

/** Creates users one after the other, each with tokens. */
export class UserCreator implements Workload {
  readonly operations = ['create user', 'exchange code'];
  readonly #acknowledged: User[] = [];

  constructor(
    private readonly suite: ChaosSuite,
    private readonly client: ClientCredentials,
    /** The prefix of each app_user_id. */
    private readonly prefix: string,
    private readonly http: Http,
  ) {}

  ledger(): Record<string, number> {
    return { users: this.#acknowledged.length };
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let number = 0; !signal.aborted; number++) {
      const user = await createUser(this.suite, this.client, `${this.prefix}-${number}`, this.http, signal).catch(
        (error: unknown) => {
          if (!signal.aborted) throw error;
        },
      );
      if (user) this.#acknowledged.push(user);
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Checks that every user exists once and that the token is the user's. */
  async check(http: Http, signal: AbortSignal): Promise<Findings> {
    const findings = new Findings();
    const { base_url } = this.suite.running.ready;
    for (const { app_user_id, accessToken } of this.#acknowledged) {
      const query = new URLSearchParams({ app_user_id });
      const listed = await http.persist(
        {
          operation: 'list users',
          method: 'GET',
          url: `${base_url}/user-management/v1/user?${query.toString()}`,
          headers: { ...this.client },
        },
        signal,
      );
      const found = listed?.status === 200 ? userList.parse(listed.json()).entry.length : 0;
      if (found === 0) findings.add('lost', `the user ${app_user_id}`);
      if (found > 1) findings.add('duplicated', `the user ${app_user_id}`);
      const read = await http.persist(
        { operation: 'use token', method: 'GET', url: `${base_url}/r4/Basic?_count=1`, headers: bearer(accessToken) },
        signal,
      );
      if (read?.status !== 200)
        findings.add('lost', `the access token of ${app_user_id}: a search answered ${read?.status ?? 'nothing'}`);
    }
    return findings;
  }
}
