import { z } from 'zod';
import { type Http, bearer, get } from './http';
import type { User } from './users';
import type { Load } from './workload';

const basic = z.object({
  id: z.string(),
  meta: z.object({ versionId: z.string() }),
  code: z.object({ text: z.string() }),
});
const history = z.object({
  link: z.array(z.object({ relation: z.string(), url: z.string() })).default([]),
  entry: z.array(z.object({ resource: basic })).default([]),
});

/** A resource that one writer updates repeatedly, with the ledger of its versions. */
export class VersionedResource {
  #version = 1;
  #value = 0;
  readonly #acknowledged = new Map<number, string>();
  readonly #url: string;

  /** @param marker `code.text` of its first version */
  constructor(
    private readonly load: Load,
    private readonly user: User,
    readonly id: string,
    private readonly marker: string,
  ) {
    this.#url = `${load.ready.base_url}/r4/Basic/${id}`;
    this.#acknowledged.set(1, marker);
  }

  /** The number of acknowledged updates. */
  get updates(): number {
    return this.#acknowledged.size - 1;
  }

  /** Sends one update with If-Match, repeatedly until there is a response. */
  async update(http: Http, signal: AbortSignal): Promise<void> {
    const value = `${this.marker} ${++this.#value}`;
    const headers = { ...bearer(this.user.accessToken), 'If-Match': `W/"${this.#version}"` };
    const resource = { resourceType: 'Basic', id: this.id, code: { text: value } };
    const answer = await http.persist(
      { operation: 'update', method: 'PUT', url: this.#url, headers, json: resource },
      signal,
    );
    if (answer?.status === 200) return this.#acknowledge(basic.parse(answer.json()));
    // A lost response followed by 412: the update had taken effect.
    if (answer?.status === 412 || answer === undefined) return this.#read(http, signal);
    this.load.findings.add('lost', `update of ${this.id} answered ${answer.status}`);
  }

  async check(http: Http, signal: AbortSignal): Promise<void> {
    const versions = await this.#versions(http, signal);
    if (!versions) return;
    const numbers = versions.map(({ meta }) => Number(meta.versionId));
    if (numbers.some((number, index) => number !== index + 1))
      this.load.findings.add('lost', `the history of ${this.id} is not contiguous: ${numbers.join(',')}`);
    const held = new Map(versions.map(({ meta, code }) => [Number(meta.versionId), code.text]));
    for (const [version, value] of this.#acknowledged)
      if (held.get(version) !== value)
        this.load.findings.add('lost', `version ${version} of ${this.id} is not what was acknowledged`);
    if (new Set(held.values()).size !== held.size)
      this.load.findings.add('duplicated', `the history of ${this.id} holds an update twice`);
  }

  /** All versions, oldest first. */
  async #versions(http: Http, signal: AbortSignal): Promise<z.infer<typeof basic>[] | undefined> {
    const newestFirst: z.infer<typeof basic>[] = [];
    for (let url: string | undefined = `${this.#url}/_history?_count=500`; url !== undefined;) {
      const answer = await http.persist(get('history', url, this.user.accessToken), signal);
      if (answer?.status !== 200) {
        this.load.findings.add('lost', `the history of ${this.id} answered ${answer?.status ?? 'nothing'}`);
        return undefined;
      }
      const page: z.infer<typeof history> = history.parse(answer.json());
      newestFirst.push(...page.entry.map(({ resource }) => resource));
      url = page.link.find(({ relation }) => relation === 'next')?.url;
    }
    return newestFirst.reverse();
  }

  async #read(http: Http, signal: AbortSignal): Promise<void> {
    const answer = await http.persist(get('read', this.#url, this.user.accessToken), signal);
    if (answer?.status === 200) this.#acknowledge(basic.parse(answer.json()));
    else if (answer) this.load.findings.add('lost', `${this.id} answered ${answer.status}`);
  }

  #acknowledge({ meta, code }: z.infer<typeof basic>): void {
    this.#version = Number(meta.versionId);
    this.#acknowledged.set(this.#version, code.text);
  }
}
