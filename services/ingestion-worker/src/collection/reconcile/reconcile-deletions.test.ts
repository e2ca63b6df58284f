import type { ConnectionForCollection, SourceDeletion, SourceReference } from '@tributary/contracts';
import { Semaphore } from 'async-mutex';
import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import type { HealthSystemClient, ReadOptions, ReadResult } from '../../health-system/health-system-client';
import { HealthSystemRequestFailed } from '../../health-system/request-failures';
import { emptyProgress, finish } from '../../checkpoints/progress';
import type { CollectedRecord } from '../record/collected-record';
import { reconcileDeletions } from './reconcile-deletions';

type Response = number | 'moved' | 'down';

/**
 * The record holds resources with the ids 1 to `held` of a type; the health system answers as `responses` says, else
 * with 200.
 */
class Verification {
  readonly requests: string[] = [];
  readonly deleted: SourceDeletion[] = [];
  readonly stored: string[] = [];
  readonly responses = new Map<string, Response>();
  /** From the second read of the same resource. */
  readonly secondResponses = new Map<string, Response>();
  readonly wantedPatients: unknown[] = [];
  readonly conditions: unknown[] = [];
  patients = ['Patient/p'];
  saves = 0;
  failSave = Infinity;
  checkpoint: CollectionCheckpoint;
  saved: string;
  held: number;

  constructor(type: string, { held = 3, isReferred = false, isDue = true, example = '' } = {}) {
    const progress = emptyProgress(type, 'full');
    finish(progress);
    const verification = { isDue, isReferred, reads: 0, isDone: false, ...(example ? { example } : {}) };
    this.checkpoint = { type, search: { remaining: [], verification }, progress };
    this.held = held;
    this.saved = JSON.stringify(this.checkpoint);
  }

  /** Another attempt starts from what was saved. */
  restart(): void {
    this.checkpoint = JSON.parse(this.saved) as CollectionCheckpoint;
  }

  get state(): NonNullable<CollectionCheckpoint['search']['verification']> {
    return this.checkpoint.search.verification as NonNullable<CollectionCheckpoint['search']['verification']>;
  }

  run(): Promise<void> {
    const { type } = this.checkpoint;
    const record: Partial<CollectedRecord> = {
      connection: {
        fhirVersion: 'r4',
        patient_id: 'p',
        granted_scope: '',
        consented_types: null,
      } as unknown as ConnectionForCollection,
      checkpoints: [this.checkpoint],
      returnedIds: () => Promise.resolve([]),
      held: (wanted, after = '') => {
        if (wanted.type === 'Patient') return Promise.resolve({ references: this.patients.map(heldReference) });
        this.wantedPatients.push(wanted.patientId);
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
        const known = new Set(this.deleted.map(({ reference }) => reference));
        this.deleted.push(...deletions.filter(({ reference }) => !known.has(reference)));
        return Promise.resolve(deletions.map(({ reference }) => (known.has(reference) ? 'absent' : 'deleted')));
      },
      save: () => {
        if (++this.saves >= this.failSave) return Promise.reject(new Error('superseded'));
        this.saved = JSON.stringify(this.checkpoint);
        return Promise.resolve();
      },
    };
    return reconcileDeletions({
      client: { release: 'r4', get: this.get, urlOf: (url: string) => url } as unknown as HealthSystemClient,
      record: record as CollectedRecord,
      attachments: { maxBytes: 1, semaphore: new Semaphore(1) },
    });
  }

  private readonly get = <T>(url: string, { read, headers = {} }: ReadOptions<T>): Promise<ReadResult<T>> => {
    const second = this.requests.includes(url) ? this.secondResponses.get(url) : undefined;
    this.requests.push(url);
    this.conditions.push(headers['If-Modified-Since']);
    const response = second ?? this.responses.get(url) ?? this.responses.get('*') ?? 200;
    if (response === 'down') return Promise.reject(new HealthSystemRequestFailed(500, 'responded with 500 4 times'));
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
  ['Condition', 1, 404, 0],
  ['Condition', 2, 404, 0],
  ['Condition', 3, 404, 0],
  ['Condition', 3, 410, 3],
  ['Practitioner', 1, 404, 0],
  ['Practitioner', 2, 410, 2],
] as const)(
  'without a readable %s, of %d that are answered with %d deletes %d, and warns of what is kept',
  async (type, held, status, deleted) => {
    const verification = new Verification(type, { held, isReferred: type === 'Practitioner' });
    verification.responses.set('*', status).set('Patient/p', 200);
    await verification.run();
    expect(verification.deleted).toHaveLength(deleted);
    expect(codesOf(verification)).toEqual(deleted === held ? [] : ['absence_unexplained']);
  },
);

it('without a readable resource of the type deletes what is gone, not what is not found', async () => {
  const verification = new Verification('Condition');
  verification.responses.set('*', 404).set('Patient/p', 200).set('Condition/2', 410);
  await verification.run();
  expect(verification.deleted.map(({ reference }) => reference)).toEqual(['Condition/2']);
  expect(codesOf(verification)).toEqual(['absence_unexplained']);
});

it('deletes what is not found when a later part of the type can be read', async () => {
  const verification = new Verification('Condition', { held: 21 });
  verification.responses.set('*', 403).set('Patient/p', 200).set('Condition/1', 404).set('Condition/21', 200);
  await verification.run();
  expect(verification.deleted.map(({ reference }) => reference)).toEqual(['Condition/1']);
});

it('does not read all of a type that was withdrawn', async () => {
  const verification = new Verification('Condition', { held: 100 });
  verification.responses.set('*', 404).set('Patient/p', 200);
  await verification.run();
  expect(verification.requests.length).toBeLessThanOrEqual(21);
  expect([verification.deleted, verification.state.isDone]).toEqual([[], true]);
});

it('reads a referred resource that is gone a second time, after the patient and another one of its type', async () => {
  const verification = new Verification('Practitioner', { isReferred: true });
  verification.responses.set('Practitioner/2', 404);
  await verification.run();
  const first = ['Practitioner/1', 'Practitioner/2', 'Practitioner/3'];
  expect(verification.requests).toEqual([...first, 'Patient/p', 'Practitioner/1', 'Practitioner/2']);
  expect(verification.deleted).toEqual([{ reference: 'Practitioner/2', version: 7 }]);
});

it.each([
  [200, 3, []],
  [403, 2, ['absence_unexplained']],
  ['down', 2, ['absence_unexplained']],
] as const)('keeps a referred resource whose second read is answered with %s', async (second, stored, codes) => {
  const verification = new Verification('Practitioner', { isReferred: true });
  verification.responses.set('Practitioner/2', 404);
  verification.secondResponses.set('Practitioner/2', second);
  await verification.run();
  expect([verification.deleted, verification.stored.length, codesOf(verification)]).toEqual([[], stored, codes]);
});

it.each([
  [3, 2, 2],
  [10, 3, 0],
  [15, 3, 3],
  [100, 20, 20],
  [100, 21, 0],
])('of %d referred resources of which %d are gone, deletes %d', async (held, gone, deleted) => {
  const verification = new Verification('Practitioner', { held, isReferred: true });
  for (let id = 1; id <= gone; id++) verification.responses.set(`Practitioner/${id}`, id % 2 ? 404 : 410);
  // One of the first slice can be read.
  verification.state.example = `Practitioner/${held}`;
  await verification.run();
  expect(verification.deleted).toHaveLength(deleted);
  expect(codesOf(verification)).toEqual(deleted === gone ? [] : ['absence_unexplained']);
});

it('asks the record for what is about the patient, and for all referred resources', async () => {
  for (const isReferred of [false, true]) {
    const verification = new Verification('Coverage', { isReferred });
    await verification.run();
    expect(verification.wantedPatients).toEqual([isReferred ? undefined : 'p']);
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
  // After the slice and the end of the type.
  verification.failSave = 3;
  await expect(verification.run()).rejects.toThrow('superseded');
  expect([verification.requests.includes('Patient/p'), verification.deleted]).toEqual([true, []]);
});

it.each([1, 2, 3, 4, 5, 6])('repeats a slice at most when an attempt ends at save %d', async (save) => {
  const verification = new Verification('Condition', { held: 60, example: 'Condition/9' });
  verification.responses.set('Condition/2', 410);
  verification.failSave = save;
  await expect(verification.run()).rejects.toThrow('superseded');
  verification.failSave = Infinity;
  verification.restart();
  await verification.run();
  expect(verification.deleted.map(({ reference }) => reference)).toEqual(['Condition/2']);
  expect([verification.state.isDone, verification.state.gone]).toEqual([true, undefined]);
  expect(verification.requests.filter((url) => url.startsWith('Condition/')).length).toBeLessThanOrEqual(60 + 20 + 2);
});

it('reads the same again after the patient could not be read', async () => {
  const verification = new Verification('Condition', { held: 60, example: 'Condition/9' });
  Object.assign(verification.state, { after: '000010', from: '000010' });
  verification.responses.set('Condition/12', 404).set('Patient/p', 'down');
  await verification.run();
  expect(verification.state).toMatchObject({ isDone: false, after: '000010' });
  expect([verification.deleted, verification.state.gone]).toEqual([[], undefined]);
  verification.responses.delete('Patient/p');
  await verification.run();
  expect(verification.deleted.map(({ reference }) => reference)).toEqual(['Condition/12']);
});

it('requests conditionally where the health system supports it', async () => {
  const verification = new Verification('Practitioner', { held: 1, isReferred: true });
  verification.state.isConditional = true;
  verification.responses.set('Practitioner/1', 304);
  await verification.run();
  expect(verification.conditions).toEqual(['Sun, 01 Feb 2026 00:00:00 GMT']);
  expect([verification.stored, verification.deleted, codesOf(verification)]).toEqual([[], [], []]);
});
