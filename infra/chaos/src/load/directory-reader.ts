import { z } from 'zod';
import type { Load, Workload } from './workload';
import { type Http, bearer } from './http';
import type { User } from './users';
import { pause } from '../pause';

const pauseMs = 300;
const found = z.object({ entry: z.array(z.object({ id: z.int() })) });

/** A user who searches the directory of health systems for the sandbox. */
export class DirectoryReader implements Workload {
  readonly operations = ['directory'];

  constructor(
    private readonly load: Load,
    private readonly user: User,
  ) {}

  ledger(): Record<string, number> {
    return {};
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#search(this.load.http);
      await pause(pauseMs, signal);
    }
  }

  async check(http: Http): Promise<void> {
    await this.#search(http);
  }

  async #search(http: Http): Promise<void> {
    const { search_url, sandbox } = this.load.ready;
    const answer = await http.once({
      operation: 'directory',
      method: 'POST',
      url: `${search_url}/api/search?query=sandbox&offset=0`,
      headers: bearer(this.user.accessToken),
    });
    if (answer?.status === 200 && !found.parse(answer.json()).entry.some(({ id }) => id === sandbox.health_system_id))
      this.load.findings.add('lost', 'a search of the directory does not find the sandbox');
  }
}
