import { releases } from '@tributary/fhir-definitions';
import { FhirStoreUnderTest } from '../../fhir-store-under-test';
import { resourceOf } from '../../record-over-http';
import { ClinicRecord } from './clinic-record';
import { selectionCases } from './selection-cases';

describe.each(releases)('%s: search', (release) => {
  let store: FhirStoreUnderTest;
  let record: ClinicRecord;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
    record = await ClinicRecord.create(store.user(), release);
  });
  afterAll(() => store.stop());

  const cases = Object.entries(selectionCases).flatMap(([section, rows]) =>
    rows.map(([address, expected, on = releases]) => ({ section, address, expected, on })),
  );

  it.each(cases.filter(({ on }) => on.includes(release)))('$section: $address', async ({ address, expected }) => {
    const named = address.replace('{onset}', release === 'dstu2' ? 'onset' : 'onset-date');
    if (typeof expected === 'number') {
      const response = await record.user.get(record.address(named));
      expect([response.status, resourceOf(response).resourceType]).toEqual([expected, 'OperationOutcome']);
      return;
    }
    const found = record.names(await record.user.all(`${record.address(named)}`));
    expect(found.toSorted()).toEqual([...expected].toSorted());
  });
});
