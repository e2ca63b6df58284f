import { z } from 'zod';
import { type Random, tally } from '@tributary/test-environment';
import type { Load, Workload } from './workload';
import { ExportFailed, exportRecord } from './export';
import { type Answer, type Http, type Request, bearer, get } from './http';
import type { User } from './users';
import { VersionedResource } from './versioned-resource';
import { pause } from '../pause';

const concurrency = 2;
const longestPauseMs = 150;
const markerSystem = 'urn:tributary:chaos';

const created = z
  .object({ id: z.string(), meta: z.object({ lastUpdated: z.iso.datetime({ offset: true }) }) })
  .transform(({ id, meta }) => ({ id, lastUpdated: Date.parse(meta.lastUpdated) }));
const markedResource = z.object({ identifier: z.array(z.object({ system: z.string(), value: z.string() })) });
const searchset = z.object({
  entry: z.array(z.object({ resource: z.object({ resourceType: z.string() }) })).default([]),
});

/** A user whose record is written, read, searched and exported. */
export class RecordUser implements Workload {
  readonly operations = ['create', 'update', 'read', 'search', 'export'];
  /** The acknowledged creates. The marker is unique, so that a duplicate of one create is found. */
  readonly #creates: (z.infer<typeof created> & { marker: string })[] = [];
  readonly #versioned: VersionedResource[] = [];
  #count = 0;
  #exports = 0;

  constructor(
    private readonly load: Load,
    private readonly user: User,
    private readonly random: Random,
  ) {}

  ledger(): Record<string, number> {
    return {
      creates: this.#creates.length,
      updates: this.#versioned.reduce((sum, versioned) => sum + versioned.updates, 0),
      exports: this.#exports,
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: concurrency }, () => this.#repeat(this.random.fork(), signal)));
  }

  async check(http: Http, signal: AbortSignal): Promise<void> {
    await this.#compareExport(http, 'lost', signal);
    for (const versioned of this.#versioned) await versioned.check(http, signal);
  }

  async #repeat(random: Random, signal: AbortSignal): Promise<void> {
    let versioned: VersionedResource | undefined;
    while (!signal.aborted) {
      const choice = random.below(100);
      if (versioned === undefined) versioned = await this.#createVersioned(signal);
      else if (choice < 25) await this.#createOnCondition(signal);
      else if (choice < 40) await this.#createOnce();
      else if (choice < 60) await versioned.update(this.load.http, signal);
      else if (choice < 80) await this.#read(random);
      else if (choice < 95) await this.#search(random);
      else await this.#compareExport(this.load.http, 'falsely complete', signal);
      await pause(random.below(longestPauseMs), signal);
    }
  }

  async #createVersioned(signal: AbortSignal): Promise<VersionedResource | undefined> {
    const made = await this.#createOnCondition(signal);
    if (!made) return undefined;
    const versioned = new VersionedResource(this.load, this.user, made.id, made.marker);
    this.#versioned.push(versioned);
    return versioned;
  }

  /** A create that can be repeated, since If-None-Exist makes it idempotent. */
  async #createOnCondition(signal: AbortSignal): Promise<{ id: string; marker: string } | undefined> {
    const marker = this.#newMarker();
    const answer = await this.load.http.persist(
      this.#creation(marker, { 'If-None-Exist': `identifier=${markerSystem}|${marker}` }),
      signal,
    );
    if (answer?.status === 412) this.load.findings.add('duplicated', `conditional create ${marker} found several`);
    if (answer?.status !== 201 && answer?.status !== 200) return undefined;
    return this.#acknowledge(marker, answer);
  }

  /** A create that is sent once: after 503 or a lost response its outcome is unknown. */
  async #createOnce(): Promise<void> {
    const marker = this.#newMarker();
    const answer = await this.load.http.once(this.#creation(marker));
    if (answer?.status === 201) this.#acknowledge(marker, answer);
  }

  #acknowledge(marker: string, answer: Answer): { id: string; marker: string } {
    const create = { marker, ...created.parse(answer.json()) };
    this.#creates.push(create);
    return create;
  }

  #creation(marker: string, headers: Record<string, string> = {}): Request {
    return {
      operation: 'create',
      method: 'POST',
      url: `${this.load.ready.base_url}/r4/Basic`,
      headers: { ...bearer(this.user.accessToken), ...headers },
      json: {
        resourceType: 'Basic',
        identifier: [{ system: markerSystem, value: marker }],
        code: { text: marker },
      },
    };
  }

  #newMarker(): string {
    return `${this.user.app_user_id}-${this.#count++}`;
  }

  async #read(random: Random): Promise<void> {
    if (this.#creates.length === 0) return;
    const { id, marker } = random.pick(this.#creates);
    const url = `${this.load.ready.base_url}/r4/Basic/${id}`;
    const answer = await this.load.http.once(get('read', url, this.user.accessToken));
    if (answer && answer.status >= 400 && answer.status < 500)
      this.load.findings.add('lost', `create ${marker} answered ${answer.status} to a read`);
  }

  async #search(random: Random): Promise<void> {
    const searchable = this.#creates.filter(({ id }) => !this.#versioned.some((versioned) => versioned.id === id));
    if (searchable.length === 0) return;
    const { marker } = random.pick(searchable);
    const query = new URLSearchParams({ identifier: `${markerSystem}|${marker}` });
    const url = `${this.load.ready.base_url}/r4/Basic?${query.toString()}`;
    const answer = await this.load.http.once(get('search', url, this.user.accessToken));
    if (answer?.status !== 200) return;
    const matches = searchset
      .parse(answer.json())
      .entry.filter(({ resource }) => resource.resourceType === 'Basic').length;
    if (matches === 0) this.load.findings.add('lost', `create ${marker} is not found by a search`);
    if (matches > 1) this.load.findings.add('duplicated', `create ${marker} is found ${matches} times by a search`);
  }

  /**
   * Checks that an export contains everything that was acknowledged before it began. While faults are injected, an
   * export may be complete as of an earlier `transactionTime`: a process that is stopped within a transaction holds the
   * snapshot time back.
   */
  async #compareExport(http: Http, missing: 'lost' | 'falsely complete', signal: AbortSignal): Promise<void> {
    const { findings } = this.load;
    const versioned = new Set(this.#versioned.map(({ id }) => id));
    const acknowledged = [...this.#creates];
    try {
      const { transactionTime, resources } = await exportRecord(this.load, this.user, http, signal);
      this.#exports++;
      const ids = new Set(resources.map(({ id }) => id));
      for (const { id, marker, lastUpdated } of acknowledged)
        if ((missing === 'lost' || lastUpdated < transactionTime) && !ids.has(id))
          findings.add(missing, `create ${marker} is not in an export that began after its answer`);
      const markers = resources
        .filter(({ id }) => !versioned.has(id))
        .map((resource) => markedResource.parse(resource).identifier[0]?.value ?? '');
      for (const [marker, count] of tally(markers))
        if (count > 1) findings.add('duplicated', `create ${marker} is in an export ${count} times`);
    } catch (error) {
      if (error instanceof ExportFailed) {
        if (missing === 'lost')
          findings.add('lost', `the record of ${this.user.app_user_id} cannot be exported: ${error.message}`);
      } else {
        findings.add('falsely complete', error instanceof Error ? error.message : 'an export cannot be read');
      }
    }
  }
}
