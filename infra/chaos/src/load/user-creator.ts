import { z } from 'zod';
import type { Load, Workload } from './workload';
import { type Http, get } from './http';
import { type User, createUser } from './users';
import { pause } from '../pause';

const pauseMs = 1_000;
const userList = z.object({ entry: z.array(z.object({ service_user_id: z.int(), app_user_id: z.string() })) });

/** Creates users one after the other, each with tokens. */
export class UserCreator implements Workload {
  readonly operations = ['create user', 'exchange code'];
  readonly #acknowledged: User[] = [];

  constructor(
    private readonly load: Load,
    /** The prefix of each app_user_id. */
    private readonly prefix: string,
  ) {}

  ledger(): Record<string, number> {
    return { users: this.#acknowledged.length };
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let number = 0; !signal.aborted; number++) {
      const user = await createUser(this.load, `${this.prefix}-${number}`, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (user) this.#acknowledged.push(user);
      await pause(pauseMs, signal);
    }
  }

  /** Checks that every user exists once and that the token is the user's. */
  async check(http: Http, signal: AbortSignal): Promise<void> {
    const { base_url } = this.load.ready;
    for (const { app_user_id, accessToken } of this.#acknowledged) {
      const query = new URLSearchParams({ app_user_id });
      const listed = await http.persist(
        {
          operation: 'list users',
          method: 'GET',
          url: `${base_url}/user-management/v1/user?${query.toString()}`,
          headers: { ...this.load.client },
        },
        signal,
      );
      const found = listed?.status === 200 ? userList.parse(listed.json()).entry.length : 0;
      if (found === 0) this.load.findings.add('lost', `the user ${app_user_id}`);
      if (found > 1) this.load.findings.add('duplicated', `the user ${app_user_id}`);
      const read = await http.persist(get('use token', `${base_url}/r4/Basic?_count=1`, accessToken), signal);
      if (read?.status !== 200)
        this.load.findings.add(
          'lost',
          `the access token of ${app_user_id}: a search answered ${read?.status ?? 'nothing'}`,
        );
    }
  }
}
