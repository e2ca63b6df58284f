import { connectionWith, progressOf } from '../../../test/connection';
import { countedReleases, placesOf } from './places';

describe('the places of a user', () => {
  it('are one for the releases of a record, with the counts of the one of which most was read', () => {
    const newest = connectionWith({
      types: [
        progressOf('Observation', { stored: 300, unchanged: 12, done: false }),
        progressOf('MedicationRequest', { stored: 4 }),
        progressOf('Binary', { stored: 3 }),
        progressOf('Coverage'),
      ],
      progress: { collected: 312, types_done: 1, types_total: 2 },
      status: 'collecting',
    });
    const oldest = connectionWith({
      fhirVersion: 'dstu2',
      types: [progressOf('Observation', { stored: 290 }), progressOf('MedicationOrder', { stored: 4 })],
      progress: { collected: 294, types_done: 2, types_total: 2 },
      last_collected_at: '2026-02-01T00:00:00.000Z',
    });
    expect(placesOf([oldest, newest])).toEqual([
      {
        system: { id: 5, name: 'Lakeside' },
        person: { name: 'Amelia Hart', birthDate: '1984-03-09' },
        isOtherPerson: false,
        status: 'collecting',
        connectionIds: [newest.connection_id, oldest.connection_id],
        typesDone: 3,
        typesTotal: 4,
        collected: 312,
        types: [
          { type: 'Observation', count: 312, isDone: false },
          { type: 'MedicationRequest', count: 4, isDone: true },
        ],
        missing: [],
        lastCollectedAt: '2026-02-01T00:00:00.000Z',
      },
    ]);
  });

  it('are one for each health system and person, the latest first', () => {
    const connections = [
      connectionWith(),
      connectionWith({ health_system: { id: 6, name: 'Hilltop' } }),
      connectionWith({ patient: { id: 'b-2', name: 'Noah Hart', birth_date: '2016-05-02' }, other_person: true }),
      connectionWith({ patient: { id: 'c-3' } }),
    ];
    expect(
      placesOf(connections).map(({ system, person, isOtherPerson }) => [system.id, person.name, isOtherPerson]),
    ).toEqual([
      [5, undefined, false],
      [5, 'Noah Hart', true],
      [6, 'Amelia Hart', false],
      [5, 'Amelia Hart', false],
    ]);
  });

  it.each([
    [['active'], 'up_to_date'],
    [['active', 'revoked'], 'up_to_date'],
    [['active', 'collecting'], 'collecting'],
    [['collecting', 'failed'], 'failed'],
    [['failed', 'needs_reauthorization'], 'sign_in_again'],
    [['revoked', 'revoked'], 'disconnected'],
  ] as const)('with connections that are %j are %s', (statuses, expected) => {
    expect(placesOf(statuses.map((status) => connectionWith({ status }))).map(({ status }) => status)).toEqual([
      expected,
    ]);
  });

  it('name what is missing, unless another release has it', () => {
    const result = (type: string, outcome: 'complete' | 'refused' | 'partial' | 'failed' | 'not_offered') => ({
      type,
      outcome,
      warnings: [],
    });
    const [place] = placesOf([
      connectionWith({
        complete: false,
        results: [
          result('Observation', 'refused'),
          result('Coverage', 'refused'),
          result('Encounter', 'failed'),
          result('Goal', 'not_offered'),
        ],
      }),
      connectionWith({
        fhirVersion: 'stu3',
        results: [result('Observation', 'complete'), result('Condition', 'partial')],
      }),
    ]);
    expect(place).toMatchObject({
      status: 'partly',
      missing: [
        { type: 'Coverage', reason: 'refused' },
        { type: 'Encounter', reason: 'failed' },
        { type: 'Condition', reason: 'partial' },
      ],
    });
  });

  it.each([
    ['1980-02-29', '1980-02-29'],
    ['1980-02', '1980-02'],
    ['1980-00-00', '1980'],
    ['1980-13-01', '1980'],
    ['1981-02-29', '1981'],
  ])('show a birth date of %s as %s', (birth_date, shown) => {
    const [place] = placesOf([connectionWith({ patient: { id: 'a', name: 'Amelia Hart', birth_date } })]);
    expect(place?.person.birthDate).toBe(shown);
  });

  it('have no counts of a collection that reads only what has changed', () => {
    const types = [progressOf('Observation', { read: 'changes', stored: 2 })];
    expect(placesOf([connectionWith({ types })])[0]?.types).toEqual([]);
  });

  it('say when a collection goes on, and when the consent ends: the earliest of all', () => {
    const consent = (expires_at: string | null) => ({ ...connectionWith().consent, expires_at });
    const [place] = placesOf([
      connectionWith({ retry_at: '2026-01-01T10:00:00.000Z', consent: consent(null) }),
      connectionWith({ retry_at: '2026-01-01T09:00:00.000Z', consent: consent('2027-01-01T00:00:00.000Z') }),
    ]);
    expect(place).toMatchObject({ retryAt: '2026-01-01T09:00:00.000Z', consentEndsAt: '2027-01-01T00:00:00.000Z' });
  });
});

describe('the releases in which the record is counted', () => {
  const collectedFrom = (fhirVersion: 'dstu2' | 'stu3' | 'r4', collected: number, more = {}) =>
    connectionWith({ fhirVersion, progress: { collected, types_done: 1, types_total: 1 }, ...more });
  const elsewhere = { health_system: { id: 6, name: 'Hilltop' } };

  it('are the newest one of each place that has something', () => {
    expect(countedReleases([])).toEqual([]);
    expect(countedReleases([collectedFrom('r4', 0)])).toEqual([]);
    expect(countedReleases([collectedFrom('dstu2', 9), collectedFrom('r4', 8), collectedFrom('stu3', 9)])).toEqual([
      'r4',
    ]);
    expect(countedReleases([collectedFrom('r4', 0), collectedFrom('stu3', 9)])).toEqual(['stu3']);
    expect(
      countedReleases([collectedFrom('stu3', 9), collectedFrom('r4', 9), collectedFrom('stu3', 5, elsewhere)]),
    ).toEqual(['r4', 'stu3']);
  });
});
