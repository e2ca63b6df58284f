import { INDEX_VERSION } from '@tributary/fhir-search';
import { typeCodeOf } from '@tributary/record-storage';
import { createLog } from '@tributary/service-kit';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { RecordOverHttp } from '../../test/record-over-http';
import { Reindexing, extractIndexValues } from './reindexing';

const loinc = 'http://loinc.org';
const log = createLog('fhir-store', 'silent');

const resources = [
  { resourceType: 'Patient', name: [{ family: 'Nilsson' }], birthDate: '1950-05-05' },
  ...Array.from({ length: 13 }, (_, n) => ({
    resourceType: 'Observation',
    status: 'final',
    code: { coding: [{ system: loinc, code: n < 6 ? '718-7' : '2339-0' }] },
    effectiveDateTime: `2024-01-${String(n + 10)}`,
    valueQuantity: { value: 10 + n },
  })),
  {
    resourceType: 'MedicationRequest',
    status: 'active',
    intent: 'order',
    subject: { display: 'Nilsson' },
    contained: [{ resourceType: 'Medication', id: 'm', code: { coding: [{ system: 'urn:drug', code: '9' }] } }],
    medicationReference: { reference: '#m' },
  },
];

/** How many resources of the list each search finds. */
const searches = {
  '/r4/Patient?family=nilsson': 1,
  '/r4/Patient?name:exact=Nilsson': 1,
  '/r4/Patient?birthdate=1950-05-05': 1,
  '/r4/Observation?code=718-7': 6,
  '/r4/Observation?code:not=718-7': 7,
  '/r4/Observation?value-quantity=gt12': 10,
  '/r4/Observation?date=lt2024-01-12': 2,
  '/r4/MedicationRequest?medication.code=9': 1,
  '/r4/MedicationRequest?medication.code=8': 0,
  '/r4/MedicationRequest?status:missing=true': 0,
};

const partitions = 3;

describe('records whose rows have earlier index rules', () => {
  let store: FhirStoreUnderTest;
  let [user, other]: RecordOverHttp[] = [];

  beforeEach(async () => {
    // A process remembers that a record is current, so another one reads what the first has stored.
    const first = await FhirStoreUnderTest.start({ partitions });
    const stored = [first.user(), first.user()];
    for (const each of stored) for (const resource of resources) await each.create('r4', resource);
    await first.pool.query(`UPDATE fhir_store.resource SET index_version = 1, blind_terms = '{}', ranges = NULL`);
    await first.pool.query('UPDATE fhir_store.record SET index_version = 1');
    const { database, keyEncryptionKey } = first;
    store = await FhirStoreUnderTest.start({
      database: { ...database, drop: () => first.stop() },
      keyEncryptionKey,
      partitions,
    });
    [user, other] = stored.map(
      ({ userId }) => new RecordOverHttp(store.url, userId, store.auth.addToken('client', userId)),
    );
  });
  afterEach(() => store.stop());

  const outdatedRecords = async (): Promise<number> => {
    const { rows } = await store.pool.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM fhir_store.record WHERE index_version < ${INDEX_VERSION}`,
    );
    return rows[0]?.n ?? 0;
  };

  const outdatedRows = async (): Promise<number> => {
    const { rows } = await store.pool.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM fhir_store.resource WHERE index_version < ${INDEX_VERSION}`,
    );
    return rows[0]?.n ?? 0;
  };

  /** Two replicas at once. */
  const reindex = async (): Promise<void> => {
    const { signal } = new AbortController();
    await Promise.all([0, 1].map(() => new Reindexing({ storage: store.storage, log }).round(signal)));
  };

  const expectSearches = async (): Promise<void> => {
    for (const record of [user!, other!]) {
      const found: Record<string, number> = {};
      for (const address of Object.keys(searches)) {
        const { total, matches } = await record.bundle(`${address}&_total=accurate`);
        found[address] = matches.length;
        expect([address, total]).toEqual([address, matches.length]);
        expect([address, (await record.bundle(`${address}&_summary=count`)).total]).toEqual([address, total]);
      }
      expect(found).toEqual(searches);
      const dates = (await record.all('/r4/Observation?_sort=-date')).map((each) => each['effectiveDateTime']);
      expect(dates).toEqual(dates.toSorted().toReversed());
      expect(dates).toHaveLength(13);
    }
  };

  it('are searched exactly before, during and after the re-index', async () => {
    expect(await outdatedRecords()).toBe(2);
    await expectSearches();

    // One record is done, and half of the other: an abort keeps the rows of the types that are done.
    await store.storage.reindexing(extractIndexValues).reindexNext();
    const stopping = new AbortController();
    await store.storage
      .reindexing((typeCode, json) => {
        stopping.abort();
        return extractIndexValues(typeCode, json);
      })
      .reindexNext(stopping.signal);
    expect(await outdatedRecords()).toBe(1);
    const left = await outdatedRows();
    expect([left > 0, left < resources.length]).toEqual([true, true]);
    await expectSearches();

    await reindex();
    expect(await outdatedRecords()).toBe(0);
    await expectSearches();
  });

  it('are found by the index alone after the re-index', async () => {
    await reindex();
    const record = store.storage.record(user!.userId, 'client');
    expect(await record.isIndexCurrent()).toBe(true);
    expect(
      await record.search.count([typeCodeOf('r4', 'Observation')], {
        op: 'any-term',
        terms: [`Observation.code|s|${loinc}|718-7`],
      }),
    ).toBe(6);
  });

  it('keep the order and the positions of pages that were begun before the re-index', async () => {
    const first = await user!.bundle('/r4/Observation?_sort=-date&_count=4');
    await reindex();
    const found = first.matches.map(({ id }) => id);
    for (let next = first.link('next'); next !== undefined;) {
      const page = await user!.bundle(next);
      found.push(...page.matches.map(({ id }) => id));
      next = page.link('next');
    }
    expect(found).toEqual((await user!.all('/r4/Observation?_sort=-date&_count=100')).map(({ id }) => id));
    expect(new Set(found).size).toBe(13);
  });

  it('are skipped when they cannot be read, and all others are re-indexed', async () => {
    await store.pool.query(
      'UPDATE fhir_store.block SET content = overlay(content placing $1::bytea from 20) WHERE user_id = $2',
      [Buffer.alloc(8), other!.userId],
    );
    await reindex();
    expect(await outdatedRecords()).toBe(1);
    expect((await user!.bundle('/r4/Patient?family=nilsson')).total).toBe(1);
  });
});
