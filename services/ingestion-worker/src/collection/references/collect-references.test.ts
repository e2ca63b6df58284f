import type { ConnectionForCollection } from '@tributary/contracts';
import { Semaphore } from 'async-mutex';
import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import type { HealthSystemClient } from '../../health-system/health-system-client';
import type { CollectedRecord } from '../record/collected-record';
import { collectReferences } from './collect-references';
import { emptyProgress } from '../../checkpoints/progress';

/** A health system, which refuses some reads, and a record that lacks the targets of these references. */
class Record {
  readonly requested: string[] = [];
  readonly stored = new Set<string>();
  /** What the database has: it survives the process. */
  saved = '[]';
  checkpoints: CollectionCheckpoint[] = [];
  /** Ends the process after this number of stored batches. */
  endsAfterBatches = Infinity;

  constructor(
    private readonly references: readonly string[],
    private readonly isRefused: (id: string) => boolean = () => false,
  ) {}

  async attempt(): Promise<void> {
    this.checkpoints = JSON.parse(this.saved) as CollectionCheckpoint[];
    const client = {
      urlOf: (reference: string) => reference,
      get: async (reference: string, { read }: { read(body: Buffer): unknown }) => {
        const [resourceType, id = ''] = reference.split('/');
        this.requested.push(reference);
        // A refusal comes after the successes of requests that were sent later.
        for (let turn = 0; turn < (this.isRefused(id) ? 20 : 10); turn++) await Promise.resolve();
        if (this.isRefused(id)) return { ok: false, status: 403 };
        return { ok: true, value: read(Buffer.from(JSON.stringify({ resourceType, id }))) };
      },
    } as unknown as HealthSystemClient;
    const record: Partial<CollectedRecord> = {
      connection: {
        fhirVersion: 'r4',
        patient_id: 'p',
        granted_scope: '',
        consented_types: null,
      } as unknown as ConnectionForCollection,
      checkpoints: this.checkpoints,
      unresolvedReferences: () =>
        Promise.resolve({ references: this.references.filter((one) => !this.stored.has(one)) }),
      store: (resources) => {
        for (const json of resources) {
          const { resourceType, id } = JSON.parse(json) as { resourceType: string; id: string };
          this.stored.add(`${resourceType}/${id}`);
        }
        if (--this.endsAfterBatches < 0) return Promise.reject(new Error('the process ends'));
        return Promise.resolve(resources.map(() => ({ outcome: 'stored' as const, created: true })));
      },
      checkpointOf: (type) => this.#checkpointOf(type),
      save: () => {
        this.saved = JSON.stringify(this.checkpoints);
        return Promise.resolve();
      },
    };
    const collection = {
      client,
      record: record as CollectedRecord,
      attachments: { maxBytes: 1, semaphore: new Semaphore(1) },
      addressesExpireOf: new Set<string>(),
      tried: new Set<string>(),
      gone: new Map<string, number>(),
    };
    await collectReferences(collection, () => true);
  }

  counts(): [string, number, number, number][] {
    return this.checkpoints.map(({ type, progress: { fetched, stored, created } }) => [type, fetched, stored, created]);
  }

  #checkpointOf(type: string): CollectionCheckpoint {
    const known = this.checkpoints.find((one) => one.type === type);
    if (known) return known;
    const created = { type, search: { remaining: [] }, progress: emptyProgress(type, 'references') };
    this.checkpoints.push(created);
    return created;
  }
}

const references = [
  ...Array.from({ length: 50 }, (_, n) => `Practitioner/p${n}`),
  ...Array.from({ length: 7 }, (_, n) => `Location/l${n}`),
];

it.each([0, 1])(
  'counts each resource once when the process ends after storing batch %d, before saving it',
  async (batch) => {
    const record = new Record(references);
    record.endsAfterBatches = batch;
    await expect(record.attempt()).rejects.toThrow('the process ends');
    record.endsAfterBatches = Infinity;
    await record.attempt();
    expect(record.counts()).toEqual([
      ['Practitioner', 50, 50, 50],
      ['Location', 7, 7, 7],
    ]);
    expect(record.saved).not.toContain('storing');
  },
);

it('reads again what was not stored when the process ended', async () => {
  const record = new Record(references);
  record.endsAfterBatches = 0;
  await expect(record.attempt()).rejects.toThrow('the process ends');
  for (const reference of references.slice(10)) record.stored.delete(reference);
  record.endsAfterBatches = Infinity;
  await record.attempt();
  expect(record.counts()).toEqual([
    ['Practitioner', 50, 50, 50],
    ['Location', 7, 7, 7],
  ]);
});

describe('reads that are refused', () => {
  const practitioners = Array.from({ length: 300 }, (_, n) => `Practitioner/p${n}`);

  it('end after eight of a type, however many are sent at once', async () => {
    const record = new Record([...practitioners, 'Location/l'], (id) => id !== 'l');
    await record.attempt();
    expect(record.requested.filter((reference) => reference !== 'Location/l')).toEqual(practitioners.slice(0, 8));
    expect(record.stored).toEqual(new Set(['Location/l']));
    expect(record.checkpoints.find(({ type }) => type === 'Practitioner')?.progress.warnings).toContainEqual(
      expect.objectContaining({ code: 'reference_refused' }),
    );
  });

  it.each([0, 5, 7])('do not end the reads of a type of which target %d was returned', async (returned) => {
    const record = new Record(practitioners, (id) => id !== `p${returned}`);
    await record.attempt();
    expect(record.requested).toHaveLength(300);
    expect(record.stored).toEqual(new Set([`Practitioner/p${returned}`]));
  });
});
