import type { SourceDeletion, SourceReference } from '@tributary/contracts';
import { Semaphore } from 'async-mutex';
import type { CollectionCheckpoint } from '../checkpoints/checkpoints';
import type { HealthSystemClient, ReadOptions, ReadResult } from '../health-system/health-system-client';
import { HealthSystemRequestFailed } from '../health-system/request-failures';
import { emptyProgress, finish } from './progress';
import { verifyRecord } from './verify-record';

type Response = number | 'moved' | 'down';

/** The record holds resources with the ids 1 to `held` of a type; the health system answers as `responses` says, else with 200. */
class Verification {
  readonly requests: string[] = [];
  readonly deleted: SourceDeletion[] = [];
  readonly stored: string[] = [];
  readonly responses = new Map<string, Response>();
  readonly conditions: unknown[] = [];
  patients = ['Patient/p'];
  saves = 0;
  failSave = Infinity;
  readonly checkpoint: CollectionCheckpoint;
  held: number;

  constructor(type: string, { held = 3, isReferred = false, isDue = true, example = '' } = {}) {
    const progress = emptyProgress(type, 'full');
    finish(progress);
    const verification = { isDue, isReferred, reads: 0, isDone: false, ...(example ? { example } : {}) };
    this.checkpoint = { type, search: { remaining: [], verification }, progress };
    this.held = held;
  }

  get state(): NonNullable<CollectionCheckpoint['search']['verification']> {
    return this.checkpoint.search.verification as NonNullable<CollectionCheckpoint['search']['verification']>;
  }

  run(): Promise<void> {
    const { type } = this.checkpoint;
    return verifyRecord({
      release: 'r4',
      patientId: 'p',
      client: { get: this.get, urlOf: (url: string) => url } as unknown as HealthSystemClient,
      attachments: { maxBytes: 1, semaphore: new Semaphore(1) },
      checkpoints: [this.checkpoint],
      isReadable: () => true,
      returnedIds: () => Promise.resolve([]),
      held: (wanted, after = '') => {
        if (wanted.type === 'Patient') return Promise.resolve({ references: this.patients.map(heldReference) });
        const deleted = new Set(this.deleted.map(({ reference }) => reference));
        const references = Array.from({ length: this.held }, (_x, index) => heldReference(`${type}/${index + 1}`))
          .filter(({ id, reference }) => id > after && !deleted.has(reference))
          .sort((one, other) => (one.id < other.id ? -1 : 1));
        const page = references.slice(0, 100);
        return Promise.resolve({ references: page, ...(references.length > 100 ? { next: page.at(-1)?.id } : {}) });
      },
      store: (resources) => {
        this.stored.push(...resources);
        return Promise.resolve(resources.map(() => ({ outcome: 'unchanged' as const })));
      },
      deleteResources: (deletions) => {
        this.deleted.push(...deletions);
        return Promise.resolve(deletions.map(() => 'deleted' as const));
      },
      save: () => (++this.saves >= this.failSave ? Promise.reject(new Error('superseded')) : Promise.resolve()),
    });
  }

  private readonly get = <T>(url: string, { read, headers = {} }: ReadOptions<T>): Promise<ReadResult<T>> => {
    this.requests.push(url);
    this.conditions.push(headers['If-Modified-Since']);
    const response = this.responses.get(url) ?? this.responses.get('*') ?? 200;
    if (response === 'down') return Promise.reject(new HealthSystemRequestFailed(500, 'answered 500 4 times'));
    if (response === 'moved') return Promise.resolve({ ok: true, value: read(resource('Condition/other'), {}) });
    if (response !== 200) return Promise.resolve({ ok: false, status: response, issueCodes: [] });
    return Promise.resolve({ ok: true, value: read(resource(url), {}) });
  };
}

const resource = (reference: string): Buffer => {
  const [resourceType, id] = reference.split('/');
  return Buffer.from(JSON.stringify({ resourceType, id }));
};

const heldReference = (reference: string): SourceReference => ({
  id: (reference.split('/')[1] ?? '').padStart(6, '0'),
  reference,
  version: 7,
  last_updated: Date.parse('2026-02-02T00:00:00Z'),
});

const codesOf = ({ checkpoint }: Verification): string[] => checkpoint.progress.warnings.map(({ code }) => code);

it.each([404, 410])('deletes a version that is answered with %d, and stores what can be read', async (status) => {
  const verification = new Verification('Condition', { example: 'Condition/9' });
  verification.responses.set('Condition/2', status);
  await verification.run();
  expect(verification.deleted).toEqual([{ reference: 'Condition/2', version: 7 }]);
  expect(verification.stored).toHaveLength(2);
  expect([verification.state.isDone, codesOf(verification)]).toEqual([true, []]);
  expect(verification.checkpoint.progress.deleted).toBe(1);
});

it.each([401, 403, 400, 'moved', 'down'] as const)(
  'keeps what is answered with %s, with a warning',
  async (response) => {
    const verification = new Verification('Condition', { example: 'Condition/9' });
    verification.responses.set('Condition/2', response);
    await verification.run();
    expect([verification.deleted, codesOf(verification)]).toEqual([[], ['absence_unexplained']]);
    expect(verification.checkpoint.progress.outcome).toBe('complete');
  },
);

it.each([401, 403, 404, 410, 'down'] as const)(
  'deletes nothing when the patient is answered with %s',
  async (response) => {
    const verification = new Verification('Condition');
    verification.responses.set('*', 404).set('Patient/p', response);
    await verification.run();
    expect([verification.deleted, verification.state.isDone]).toEqual([[], false]);
  },
);

it('deletes nothing of a type that cannot be read by id', async () => {
  const verification = new Verification('Condition', { example: 'Condition/9' });
  verification.responses.set('*', 404).set('Patient/p', 200);
  await verification.run();
  expect([verification.deleted, codesOf(verification)]).toEqual([[], ['absence_unexplained']]);
  expect(verification.state.isDone).toBe(true);
});

it.each([
  ['Condition', false],
  ['Practitioner', true],
])('deletes the last one or two of a type (%s), but not more when none can be read', async (type, isReferred) => {
  for (const [held, status, deleted] of [
    [2, 404, 2],
    [3, 404, 0],
    [3, 410, 3],
  ] as const) {
    const verification = new Verification(type, { held, isReferred });
    verification.responses.set('*', status).set('Patient/p', 200);
    await verification.run();
    expect(verification.deleted).toHaveLength(deleted);
  }
});

it('deletes no referred resource of a record with several patients of the health system', async () => {
  const verification = new Verification('Practitioner', { isReferred: true });
  verification.responses.set('Practitioner/1', 410);
  verification.patients.push('Patient/child');
  await verification.run();
  expect(verification.deleted).toEqual([]);
  expect(verification.stored).toHaveLength(2);
});

it('reads a limited number, and continues with the next collection', async () => {
  const verification = new Verification('Condition', { held: 1200 });
  const reads: number[] = [];
  for (let collection = 0; collection < 5 && !verification.state.isDone; collection++) {
    await verification.run();
    reads.push(verification.state.reads);
    verification.state.reads = 0;
  }
  expect(reads).toEqual([500, 500, 200]);
  expect(new Set(verification.requests).size).toBe(1200);
});

it('reads less of a type that is not due', async () => {
  const verification = new Verification('Condition', { held: 1200, isDue: false });
  await verification.run();
  expect(verification.state.reads).toBeLessThanOrEqual(60);
});

it('ends early when the health system does not respond, and continues behind', async () => {
  const verification = new Verification('Condition', { held: 100 });
  verification.responses.set('*', 'down');
  await verification.run();
  expect([verification.requests.length, verification.state.isDone]).toEqual([20, false]);
  verification.responses.clear();
  await verification.run();
  expect([verification.requests.length, verification.state.isDone]).toEqual([100, true]);
});

it('deletes nothing in an attempt that was superseded', async () => {
  const verification = new Verification('Condition');
  verification.responses.set('Condition/2', 410);
  verification.failSave = 1;
  await expect(verification.run()).rejects.toThrow('superseded');
  expect(verification.deleted).toEqual([]);
});

it('repeats a slice at most when an attempt ends after a deletion', async () => {
  const verification = new Verification('Condition', { held: 60, example: 'Condition/9' });
  verification.responses.set('Condition/2', 410);
  verification.failSave = 2;
  await expect(verification.run()).rejects.toThrow('superseded');
  verification.failSave = Infinity;
  // The state is that of the last saved checkpoint.
  Object.assign(verification.state, { reads: 0 });
  delete verification.state.after;
  await verification.run();
  expect(verification.deleted.map(({ reference }) => reference)).toEqual(['Condition/2']);
});

it('requests conditionally where the health system supports it', async () => {
  const verification = new Verification('Practitioner', { held: 1, isReferred: true });
  verification.state.isConditional = true;
  verification.responses.set('Practitioner/1', 304);
  await verification.run();
  expect(verification.conditions).toEqual(['Sun, 01 Feb 2026 00:00:00 GMT']);
  expect([verification.stored, verification.deleted, codesOf(verification)]).toEqual([[], [], []]);
});
