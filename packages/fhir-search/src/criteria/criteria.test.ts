import fc from 'fast-check';
import type { Release } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { indexValues, parseSearch, SearchError } from '../index';

const now = Date.parse('2024-06-01T00:00:00Z');

function matches(resource: Resource, search: string, release: Release = 'r4'): boolean {
  const query = parseSearch(release, resource.resourceType, new URLSearchParams(search), {
    now,
    strict: true,
    baseUrl: 'https://here/r4',
  });
  return query.criteria.every((criterion) => criterion.matches(resource));
}

const bloodPressure: Resource = {
  resourceType: 'Observation',
  id: 'bp',
  meta: { lastUpdated: '2024-05-01T10:00:00.000Z', tag: [{ system: 'http://t', code: 'x' }] },
  status: 'final',
  code: {
    coding: [{ system: 'http://loinc.org', code: '85354-9', display: 'Blood pressure panel' }, { code: 'local,1' }],
    text: 'Blutdruck',
  },
  subject: { reference: 'Patient/1', identifier: { system: 'http://mrn', value: '77' } },
  effectiveDateTime: '2024-05-10',
  component: [
    {
      code: { coding: [{ system: 'http://loinc.org', code: '8480-6' }] },
      valueQuantity: { value: 120, system: 'http://unitsofmeasure.org', code: 'mm[Hg]', unit: 'mmHg' },
    },
    {
      code: { coding: [{ system: 'http://loinc.org', code: '8462-4' }] },
      valueQuantity: { value: 80, system: 'http://unitsofmeasure.org', code: 'mm[Hg]', unit: 'mmHg' },
    },
  ],
};

const patient: Resource = {
  resourceType: 'Patient',
  id: '1',
  active: true,
  name: [{ family: 'Müller', given: ['Anna', 'Eva Maria'], text: 'Anna Müller' }],
  telecom: [
    { system: 'phone', value: '555-1' },
    { system: 'email', value: 'a@x.org' },
  ],
  identifier: [
    {
      type: { coding: [{ system: 'http://v2/0203', code: 'MR' }], text: 'Medical record' },
      system: 'http://mrn',
      value: '77',
    },
  ],
  gender: 'female',
  birthDate: '1990-07-04',
  managingOrganization: { reference: 'https://other/fhir/Organization/9' },
};

describe('tokens', () => {
  it.each([
    ['code=85354-9', true],
    ['code=http://loinc.org|85354-9', true],
    ['code=http://loinc.org|', true],
    ['code=http://snomed.info/sct|', false],
    ['code=|85354-9', false],
    ['code=|local\\,1', true],
    ['code=local\\,1', true],
    ['code=other,85354-9', true],
    ['code:not=85354-9', false],
    ['code:not=other', true],
    ['code:text=blood', true],
    ['code:text=pressure panel', true],
    ['code:text=ressure', false],
    ['code:missing=false', true],
    ['method:missing=true', true],
    ['method:not=x', true],
    ['status=final', true],
    ['status=http://hl7.org/fhir/observation-status|final', true],
    ['status=http://elsewhere|final', false],
    ['combo-code=8462-4', true],
    ['component-code=85354-9', false],
    ['_tag=http://t|x', true],
    ['_id=bp', true],
    ['_id=a,b', false],
    ['_id:not=a', true],
  ])('%s → %s', (search, expected) => {
    expect(matches(bloodPressure, search)).toBe(expected);
  });

  it.each([
    ['identifier=77', true],
    ['identifier=http://mrn|77', true],
    ['identifier:of-type=http://v2/0203|MR|77', true],
    ['identifier:of-type=http://v2/0203|SS|77', false],
    ['identifier:text=medical', true],
    ['phone=555-1', true],
    ['phone=a@x.org', false],
    ['email=a@x.org', true],
    ['telecom=a@x.org', true],
    ['telecom=email|a@x.org', true],
    ['email=A@X.org', true],
    ['telecom=email|A@X.ORG', true],
    ['gender=FEMALE', false],
    ['active=true', true],
    ['active=http://terminology.hl7.org/CodeSystem/special-values|true', true],
    ['deceased=false', true],
    ['deceased=true', false],
    ['gender=female', true],
  ])('of a patient: %s → %s', (search, expected) => {
    expect(matches(patient, search)).toBe(expected);
  });

  it('reads deceased in the same way in every release', () => {
    for (const release of ['dstu2', 'stu3', 'r4'] as const) {
      expect(matches({ ...patient, deceasedDateTime: '2020' }, 'deceased=true', release)).toBe(true);
      expect(matches({ ...patient, deceasedBoolean: false }, 'deceased=true', release)).toBe(false);
    }
  });
});

it.each<Release>(['dstu2', 'stu3', 'r4'])(
  '%s: tokens of strings and e-mail addresses are found in any case, from the index too',
  (release) => {
    const valueSet: Resource = { resourceType: 'ValueSet', id: 'v', version: '2024-RC1' };
    const shouting: Resource = {
      resourceType: 'Patient',
      id: '1',
      telecom: [{ system: 'email', value: 'Jo@Example.ORG' }],
    };
    for (const [resource, search] of [
      [valueSet, 'version=2024-rc1'],
      [shouting, 'email=jo@example.org'],
      [shouting, 'telecom=email|JO@example.org'],
    ] as const) {
      expect([search, matches(resource, search, release)]).toEqual([search, true]);
      const condition = parseSearch(release, resource.resourceType, new URLSearchParams(search)).criteria[0]?.condition;
      expect(condition).toEqual({ op: 'any-term', terms: [expect.any(String)] });
      expect(indexValues(release, resource).terms).toEqual(
        expect.arrayContaining((condition as { terms: string[] }).terms),
      );
    }
  },
);

describe('strings', () => {
  it.each([
    ['family=mull', true],
    ['family=MÜLLER', true],
    ['family=ller', false],
    ['family:contains=LLE', true],
    ['family:exact=Müller', true],
    ['family:exact=Muller', false],
    ['given=eva', true],
    ['given=maria', false],
    ['name=anna m', true],
    ['name=an', true],
    ['phonetic=Miller', true],
    ['phonetic=Smith', false],
    ['family=x,mu', true],
  ])('%s → %s', (search, expected) => {
    expect(matches(patient, search)).toBe(expected);
  });
});

describe('dates', () => {
  it.each([
    ['date=2024-05-10', true],
    ['date=2024-05', true],
    ['date=2024-05-10T12:00:00Z', false],
    ['date=ne2024-05-10', false],
    ['date=gt2024-05-09', true],
    ['date=gt2024-05-10', false],
    ['date=gt2024-05-10T12:00:00Z', true],
    ['date=ge2024-05-10', true],
    ['date=lt2024-05-11', true],
    ['date=le2024-05-10', true],
    ['date=le2024-05-10T12:00:00Z', true],
    ['date=sa2024-05-09', true],
    ['date=sa2024-05', false],
    ['date=eb2024-05-11', true],
    ['date=ap2024-05-12', true],
    ['date=ap2020-05-12', false],
    ['date=ge2024-05-01&date=le2024-05-31', true],
    ['date=2024-05-10T00:00:00+14:00,2024-05', true],
    ['_lastUpdated=2024-05-01', true],
    ['_lastUpdated=gt2024-05-01T10:00:00.000Z', false],
    ['_lastUpdated=gt2024-05-01T09:59:59.999Z', true],
    ['_lastUpdated=ge2024-05-01T10:00:00.000Z', true],
  ])('%s → %s', (search, expected) => {
    expect(matches(bloodPressure, search)).toBe(expected);
  });

  it('searches the index for whole milliseconds', () => {
    const [criterion] = parseSearch('r4', 'Observation', [['date', 'ap2024-05-10T10:00Z']], { now: now + 3 }).criteria;
    if (criterion?.condition.op !== 'range') throw new Error('no range');
    expect([criterion.condition.low?.le, criterion.condition.high?.ge].every(Number.isInteger)).toBe(true);
  });

  it('accepts a space as the plus sign of a time zone', () => {
    const observation: Resource = { ...bloodPressure, effectiveDateTime: '2024-05-10T10:00:00+02:00' };
    expect(matches(observation, 'date=2024-05-10T10:00:00+02:00')).toBe(true);
  });

  it('compares periods with open ends', () => {
    const encounter: Resource = { resourceType: 'Encounter', period: { start: '2024-01-01' } };
    expect(matches(encounter, 'date=gt2030')).toBe(true);
    expect(matches(encounter, 'date=eb2030')).toBe(false);
    expect(matches(encounter, 'date=2024')).toBe(false);
    expect(matches(encounter, 'date=sa2023')).toBe(true);
  });

  it('compares days by each prefix', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -20_000, max: 20_000 }),
        fc.integer({ min: -20_000, max: 20_000 }),
        (stored, searched) => {
          const date = (n: number): string =>
            new Date(Date.UTC(2000, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);
          const observation: Resource = { resourceType: 'Observation', effectiveDateTime: date(stored) };
          const is = (prefix: string): boolean => matches(observation, `date=${prefix}${date(searched)}`);
          expect([is('lt'), is('eq'), is('gt')]).toEqual([stored < searched, stored === searched, stored > searched]);
          expect([is('le'), is('ne'), is('ge')]).toEqual([stored <= searched, stored !== searched, stored >= searched]);
        },
      ),
    );
  });
});

describe('quantities and numbers', () => {
  const value = (quantity: Resource['x']): Resource => ({
    resourceType: 'Observation',
    valueQuantity: quantity as never,
  });
  const glucose = value({ value: 5.4, unit: 'mg/dL', system: 'http://unitsofmeasure.org', code: 'mg/dL' });

  it.each([
    ['value-quantity=5.4', true],
    ['value-quantity=5.40', true],
    ['value-quantity=5', true],
    ['value-quantity=5.5', false],
    ['value-quantity=5.4|http://unitsofmeasure.org|mg/dL', true],
    ['value-quantity=54|http://unitsofmeasure.org|mg/L', true],
    ['value-quantity=5.4|http://unitsofmeasure.org|mg/L', false],
    ['value-quantity=gt0.053|http://unitsofmeasure.org|g/L', true],
    ['value-quantity=5.4||mg/dL', true],
    ['value-quantity=5.4||g', false],
    ['value-quantity=5.4|http://other|mg/dL', false],
    ['value-quantity=ne5.4', false],
    ['value-quantity=ne6', true],
    ['value-quantity=gt5.4', false],
    ['value-quantity=ge5.4', true],
    ['value-quantity=lt5.41', true],
    ['value-quantity=ap5', true],
    ['value-quantity=ap4', false],
    ['value-quantity=5e0', false],
    ['value-quantity=0.0054e3', true],
  ])('%s → %s', (search, expected) => {
    expect(matches(glucose, search)).toBe(expected);
  });

  it('reads 100, 100.00 and 1e2 by their precision', () => {
    const is = (search: string, stored: number): boolean =>
      matches(value({ value: stored }), `value-quantity=${search}`);
    expect([
      is('100', 99.5),
      is('100', 100.5),
      is('100.00', 99.995),
      is('100.00', 99.99),
      is('1e2', 95),
      is('1e2', 105),
    ]).toEqual([true, false, true, false, true, false]);
  });

  it('compares numbers by each prefix', () => {
    const decimal = fc.integer({ min: -100_000, max: 100_000 }).map((n) => n / 100);
    fc.assert(
      fc.property(decimal, decimal, (stored, searched) => {
        const is = (prefix: string): boolean =>
          matches(value({ value: stored }), `value-quantity=${prefix}${searched}`);
        expect([is('lt'), is('le'), is('gt'), is('ge')]).toEqual([
          stored < searched,
          stored <= searched,
          stored > searched,
          stored >= searched,
        ]);
        if (stored === searched) expect([is('eq'), is('ne')]).toEqual([true, false]);
        expect(is('eq')).toBe(!is('ne'));
      }),
    );
  });

  it('compares stored comparators', () => {
    const above = value({ value: 300, comparator: '>' });
    expect([
      matches(above, 'value-quantity=gt500'),
      matches(above, 'value-quantity=lt200'),
      matches(above, 'value-quantity=300'),
    ]).toEqual([true, false, false]);
  });
});

describe('references', () => {
  it.each([
    ['subject=1', true],
    ['subject=Patient/1', true],
    ['subject=Patient/1/_history/4', true],
    ['subject=Group/1', false],
    ['subject:Patient=1', true],
    ['subject:Group=1', false],
    ['subject=https://here/r4/Patient/1', true],
    ['subject=https://elsewhere/Patient/1', false],
    ['subject:identifier=http://mrn|77', true],
    ['subject:identifier=http://mrn|78', false],
    ['patient=1', true],
    ['encounter:missing=true', true],
  ])('%s → %s', (search, expected) => {
    expect(matches(bloodPressure, search)).toBe(expected);
  });

  it('restricts the parameter patient to Patients in every release', () => {
    const ofGroup: Resource = { resourceType: 'Observation', subject: { reference: 'Group/1' } };
    for (const release of ['dstu2', 'stu3', 'r4'] as const) {
      expect(matches(ofGroup, 'patient=Group/1', release)).toBe(false);
      expect(matches(ofGroup, 'subject=Group/1', release)).toBe(true);
    }
  });

  it('finds URLs of other servers', () => {
    expect(matches(patient, 'organization=https://other/fhir/Organization/9')).toBe(true);
    expect(matches(patient, 'organization=9')).toBe(false);
  });
});

describe('composites', () => {
  it.each([
    ['component-code-value-quantity=8480-6$120', true],
    ['component-code-value-quantity=8480-6$80', false],
    ['component-code-value-quantity=8480-6$gt100', true],
    ['component-code-value-quantity=http://loinc.org|8462-4$lt90||mmHg', true],
    ['combo-code-value-quantity=8462-4$80', true],
    ['combo-code-value-quantity=85354-9$80', false],
    ['code-value-quantity=8480-6$120', false],
    ['component-code-value-quantity=8480-6$1,8462-4$80', true],
  ])('%s → %s', (search, expected) => {
    expect(matches(bloodPressure, search)).toBe(expected);
  });

  it('is exact in the index when the components are elements of the resource itself', () => {
    const [whole] = parseSearch('r4', 'Observation', [['code-value-quantity', 'http://loinc.org|1-1$gt5']]).criteria;
    expect(whole).toMatchObject({
      exact: true,
      condition: {
        op: 'and',
        of: [
          { op: 'any-term', terms: ['Observation.code|s|http://loinc.org|1-1'] },
          { op: 'range', name: 'Observation.value|n', high: { gt: 5 } },
        ],
      },
    });
    const [part] = parseSearch('r4', 'Observation', [['component-code-value-quantity', '1-1$gt5']]).criteria;
    expect(part).toMatchObject({ exact: false, condition: { op: 'and' } });
  });

  it('supports the composite parameters that are defined manually for dstu2', () => {
    const report: Resource = {
      resourceType: 'DiagnosticOrder',
      event: [
        { status: 'completed', dateTime: '2015-01-02' },
        { status: 'requested', dateTime: '2015-01-01' },
      ],
    };
    expect(matches(report, 'event-status-date=completed$2015-01-02', 'dstu2')).toBe(true);
    expect(matches(report, 'event-status-date=completed$2015-01-01', 'dstu2')).toBe(false);
    const related: Resource = {
      resourceType: 'Observation',
      related: [{ type: 'has-member', target: { reference: 'Observation/2' } }],
    };
    expect(matches(related, 'related=2$has-member', 'dstu2')).toBe(true);
    expect(matches(related, 'related=Observation/2$derived-from', 'dstu2')).toBe(false);
    const document: Resource = {
      resourceType: 'DocumentReference',
      relatesTo: [{ code: 'replaces', target: { reference: 'DocumentReference/2' } }],
    };
    for (const release of ['dstu2', 'stu3', 'r4'] as const)
      expect(matches(document, 'relationship=DocumentReference/2$replaces', release)).toBe(true);
    expect(
      matches(
        { ...bloodPressure, effectivePeriod: { start: '2015', end: '2016' }, effectiveDateTime: undefined },
        'date=sa2014',
        'dstu2',
      ),
    ).toBe(true);
  });
});

describe('uris', () => {
  const valueSet: Resource = { resourceType: 'ValueSet', url: 'http://acme.org/fhir/ValueSet/123' };

  it.each([
    ['url=http://acme.org/fhir/ValueSet/123', true],
    ['url=http://acme.org/fhir/valueset/123', false],
    ['url:below=http://acme.org/fhir/', true],
    ['url:below=http://acme.org/fhir/ValueSet/12', false],
    ['url:above=http://acme.org/fhir/ValueSet/123/_history/5', true],
    ['url:above=http://acme.org/fhir/ValueSet/1234', false],
  ])('%s → %s', (search, expected) => {
    expect(matches(valueSet, search)).toBe(expected);
  });
});

describe('full text', () => {
  const report: Resource = {
    resourceType: 'DiagnosticReport',
    text: { div: '<div>Metastases in the <b>liver</b> &amp; spleen</div>' },
    conclusion: 'No fracture',
  };

  it.each([
    ['_text=liver', true],
    ['_text=meta', true],
    ['_text=etastases', false],
    ['_text=fracture', false],
    ['_content=fracture', true],
    ['_text=(bone OR liver) and metastases', true],
    ['_text="in the liver"', true],
    ['_text="the in"', false],
    ['_text=not bone liver', true],
  ])('%s → %s', (search, expected) => {
    expect(matches(report, search)).toBe(expected);
  });
});

describe('_filter', () => {
  it.each([
    ['family eq "muller"', true],
    ['family eq "mull"', false],
    ['family sw "mull" and given co "mar"', true],
    ['family ew "ler"', true],
    ['birthdate ge 1990 and not(gender eq male)', true],
    ['birthdate lt 1990 or (gender eq female and active eq true)', true],
    ['gender ne female', false],
    ['identifier eq http://mrn|77', true],
    ['family pr true', true],
    ['deceased eq true', false],
    ['birthdate po 1990-07', true],
    ['_id eq 1', true],
  ])('%s → %s', (filter, expected) => {
    expect(matches(patient, new URLSearchParams({ _filter: filter }).toString())).toBe(expected);
  });
});

describe('near', () => {
  const clinic: Resource = { resourceType: 'Location', position: { latitude: 42.25, longitude: -83.69 } };

  it('measures distances in the notation of each release', () => {
    expect(matches(clinic, 'near=42.3|-83.7|10|km')).toBe(true);
    expect(matches(clinic, 'near=42.3|-83.7|3|[mi_i]')).toBe(false);
    expect(matches(clinic, 'near=42.3:-83.7&near-distance=10||km', 'stu3')).toBe(true);
    expect(matches(clinic, 'near=42.3:-83.7&near-distance=1||km', 'dstu2')).toBe(false);
  });
});

describe('invalid searches', () => {
  it.each([
    ['date=yesterday', 'date', 'invalid'],
    ['date=2023-02-29', 'date', 'invalid'],
    ['value-quantity=abc', 'value-quantity', 'invalid'],
    ['value-quantity=1|mg', 'value-quantity', 'invalid'],
    ['code:in=http://vs', 'code:in', 'not-supported'],
    ['date:exact=2024', 'date:exact', 'not-supported'],
    ['code:missing=maybe', 'code:missing', 'invalid'],
    ['code-value-quantity=1', 'code-value-quantity', 'invalid'],
    ['code=a|b|c', 'code', 'invalid'],
    ['subject:Nothing=1', 'subject:Nothing', 'invalid'],
    ['_filter=code', '_filter', 'invalid'],
    ['_filter=code po x', '_filter', 'not-supported'],
    ['_filter=nonsense eq x or code eq y', '_filter', 'not-supported'],
    ['_filter=nonsense((', '_filter', 'not-supported'],
    ['_filter=code ss x', 'code', 'invalid'],
    ['_text=(liver', '_text', 'invalid'],
    ['_lastUpdated:exact=2024', '_lastUpdated:exact', 'not-supported'],
    [`_filter=${'('.repeat(10_000)}`, '_filter', 'invalid'],
    [`_filter=${'('.repeat(100_000)}`, '_filter', 'too-costly'],
    [`_content=${'not '.repeat(100_000)}`, '_content', 'invalid'],
    ['near=91|0', 'near', 'not-supported'],
  ])('%s names %s as %s', (search, parameter, code) => {
    let thrown: unknown;
    try {
      parseSearch('r4', 'Observation', new URLSearchParams(search), { strict: true });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(SearchError);
    expect(thrown).toMatchObject({ parameter, code });
  });

  it('refuse an unknown parameter within _filter, also when lenient', () => {
    expect(() =>
      parseSearch('r4', 'Observation', new URLSearchParams({ _filter: 'code eq x and nonsense eq y' })),
    ).toThrow(SearchError);
  });
});
