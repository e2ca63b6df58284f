import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { Findings } from '../report/finding';
import type { ChaosSuite } from '../suite/chaos-suite';
import type { Workload } from './workload';
import { type Http, bearer } from './http';
import type { User } from './users';

const pauseMs = 300;
const found = z.object({ entry: z.array(z.object({ id: z.int() })) });

/** A user who searches the directory of health systems for the sandbox. */
export class DirectoryReader implements Workload {
  readonly operations = ['directory'];
  readonly #findings = new Findings();

  constructor(
    private readonly suite: ChaosSuite,
    private readonly user: User,
    private readonly http: Http,
  ) {}

  ledger(): Record<string, number> {
    return {};
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#search(this.http);
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async check(http: Http): Promise<Findings> {
    await this.#search(http);
    return this.#findings;
  }

  async #search(http: Http): Promise<void> {
    const { search_url, sandbox } = this.suite.running.ready;
    const answer = await http.once({
      operation: 'directory',
      method: 'POST',
      url: `${search_url}/api/search?query=sandbox&offset=0`,
      headers: bearer(this.user.accessToken),
    });
    if (answer?.status === 200 && !found.parse(answer.json()).entry.some(({ id }) => id === sandbox.health_system_id))
      this.#findings.add('lost', 'a search of the directory does not find the sandbox');
  }
}
