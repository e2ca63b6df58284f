import type { Release } from '@tributary/fhir-definitions';
import { type JsonObject, type Resource } from '@tributary/fhir-json';
import type { RecordOverHttp } from '../../record-over-http';

const ucum = 'http://unitsofmeasure.org';
const loinc = 'http://loinc.org';

/**
 * The resources of a small record by the names that the cases call them, in an order in which each refers to earlier
 * ones only.
 */
type Resources = Record<string, (id: (name: string) => string) => JsonObject>;

/** A record that was stored: the ids of its resources by their names, and the other way round. */
export class ClinicRecord {
  private constructor(
    readonly user: RecordOverHttp,
    readonly release: Release,
    private readonly ids: ReadonlyMap<string, string>,
  ) {}

  static async create(user: RecordOverHttp, release: Release): Promise<ClinicRecord> {
    const ids = new Map<string, string>();
    const idOf = (name: string): string => ids.get(name) ?? `unknown-${name}`;
    for (const [name, resource] of Object.entries(resourcesOf(release)))
      ids.set(name, (await user.create(release, resource(idOf))).id);
    return new ClinicRecord(user, release, ids);
  }

  /** An address below the release with the ids of what stands in braces: `Observation?subject=Patient/{anna}`. */
  address(text: string): string {
    const filled = text.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
      name === 'release' ? this.release : (this.ids.get(name) ?? name),
    );
    return filled.startsWith('?') ? `/${this.release}${filled}` : `/${this.release}/${filled}`;
  }

  /** The names of resources, in their order. */
  names(resources: readonly Resource[]): string[] {
    const names = new Map([...this.ids].map(([name, id]) => [id, name]));
    return resources.map(({ id }) => names.get(id ?? '') ?? `?${id}`);
  }
}

function resourcesOf(release: Release): Resources {
  return { ...people(release), ...observations(release), ...conditions(release), ...others(release) };
}

function people(release: Release): Resources {
  const family = (name: string): JsonObject['family'] => (release === 'dstu2' ? [name] : name);
  return {
    hospital: () => ({ resourceType: 'Organization', name: 'General Hospital' }),
    clinic: (id) => ({
      resourceType: 'Organization',
      name: 'Clinic',
      partOf: { reference: `Organization/${id('hospital')}` },
    }),
    house: () => ({
      resourceType: 'Practitioner',
      name: release === 'dstu2' ? { family: ['House'] } : [{ family: 'House' }],
    }),
    anna: (id) => ({
      resourceType: 'Patient',
      active: true,
      identifier: [
        {
          type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] },
          system: 'http://hospital.example/mrn',
          value: 'A-1',
        },
      ],
      name: [
        { use: 'official', family: family('Müller'), given: ['Anna', 'Maria'] },
        { use: 'maiden', family: family('van der Berg') },
      ],
      telecom: [
        { system: 'phone', value: '555-1234', use: 'home' },
        { system: 'email', value: 'anna@example.org' },
      ],
      gender: 'female',
      birthDate: '1980-02-29',
      address: [
        { use: 'home', line: ['1 Main Street'], city: 'Springfield', state: 'IL', postalCode: '62701', country: 'US' },
      ],
      managingOrganization: { reference: `Organization/${id('clinic')}` },
      ...(release === 'dstu2'
        ? { careProvider: [{ reference: `Practitioner/${id('house')}` }] }
        : { generalPractitioner: [{ reference: `Practitioner/${id('house')}` }] }),
    }),
    bob: () => ({
      resourceType: 'Patient',
      meta: {
        ...(release === 'r4' ? { source: 'http://example.org/source' } : {}),
        profile: ['http://example.org/profile/a'],
        security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' }],
        tag: [{ system: 'http://example.org/tags', code: 'vip' }],
      },
      active: false,
      identifier: [{ system: 'http://hospital.example/mrn', value: 'B-2' }],
      name: [{ family: family('Smith'), given: ['Bob'] }],
      gender: 'male',
      birthDate: '1980-02',
      deceasedBoolean: false,
    }),
    carl: () => ({
      resourceType: 'Patient',
      identifier: [{ value: 'C-3' }],
      name: [{ family: family('Smithers') }],
      gender: 'unknown',
      birthDate: '1975',
      deceasedDateTime: '2020-03-01',
    }),
    dora: () => ({ resourceType: 'Patient', name: [{ family: family('Doe, Jr$|x\\y') }] }),
  };
}

function observations(release: Release): Resources {
  const observation = (coding: JsonObject[], more: JsonObject, text?: string): JsonObject => ({
    resourceType: 'Observation',
    status: 'final',
    code: { ...(coding.length > 0 ? { coding } : {}), ...(text === undefined ? {} : { text }) },
    ...more,
  });
  const weighed = (value: number, unit: string): JsonObject => ({ value, unit, system: ucum, code: unit });
  const of = (patient: string): JsonObject => ({ reference: `Patient/${patient}` });
  const vitalSigns: JsonObject = { coding: [{ system: 'http://example.org/categories', code: 'vital-signs' }] };
  const pressure = (code: string, value: number): JsonObject => ({
    code: { coding: [{ system: loinc, code }] },
    valueQuantity: { value, unit: 'mmHg', system: ucum, code: 'mm[Hg]' },
  });
  return {
    weight: (id) =>
      observation(
        [{ system: loinc, code: '29463-7' }],
        {
          category: release === 'dstu2' ? vitalSigns : [vitalSigns],
          subject: of(id('anna')),
          effectiveDateTime: '2021-03-04',
          valueQuantity: weighed(80, 'kg'),
        },
        'Body weight',
      ),
    weightGrams: (id) =>
      observation([{ system: loinc, code: '3141-9' }], {
        subject: of(id('anna')),
        effectiveDateTime: '2021-03-04T10:00:00Z',
        valueQuantity: weighed(80_000, 'g'),
      }),
    weightLight: (id) =>
      observation([{ system: loinc, code: '29463-7', display: 'Body weight' }], {
        subject: of(id('bob')),
        effectiveDateTime: '2021',
        valueQuantity: weighed(5.4, 'kg'),
      }),
    bp: (id) =>
      observation([{ system: loinc, code: '85354-9' }], {
        subject: of(id('anna')),
        effectivePeriod: { start: '2020-01-01', end: '2020-01-31' },
        component: [pressure('8480-6', 120), pressure('8462-4', 80)],
      }),
    glucose: (id) =>
      observation(
        [{ code: 'GLU' }],
        {
          subject: of(id('bob')),
          effectiveDateTime: '2013-01-14T10:00:00+01:00',
          valueQuantity: { value: 5.4, unit: 'mg/dL' },
        },
        'Glucose, fasting',
      ),
    smoker: (id) => ({
      ...observation([{ system: 'http://example.org/codes', code: 'smoking' }], {
        subject: of(id('anna')),
        effectivePeriod: { start: '2019-06-01' },
        valueCodeableConcept: { coding: [{ system: 'http://snomed.info/sct', code: '449868002' }] },
      }),
      status: 'preliminary',
    }),
    note: () => ({
      ...observation(
        [],
        {
          valueString: 'Looks fine',
          ...(release === 'dstu2'
            ? {}
            : { performer: [{ identifier: { system: 'http://npi.example', value: '42' } }] }),
        },
        'Remark',
      ),
      text: {
        status: 'generated',
        div: '<div xmlns="http://www.w3.org/1999/xhtml">No signs of <b>hypertension</b> today</div>',
      },
      status: 'amended',
    }),
    old: (id) =>
      observation([{ system: loinc, code: '29463-7' }], {
        subject: of(id('dora')),
        effectiveDateTime: '1955-06-01',
        valueQuantity: weighed(3, 'kg'),
      }),
  };
}

function conditions(release: Release): Resources {
  const condition = (patient: string, coding: JsonObject, more: JsonObject): JsonObject => ({
    resourceType: 'Condition',
    ...(release === 'dstu2'
      ? { patient: { reference: patient }, verificationStatus: 'confirmed' }
      : { subject: { reference: patient } }),
    code: { coding: [coding] },
    ...more,
  });
  return {
    diabetes: (id) =>
      condition(
        `Patient/${id('anna')}`,
        { system: 'http://snomed.info/sct', code: '73211009' },
        { onsetDateTime: '2010-05' },
      ),
    asthma: (id) =>
      condition(
        `Patient/${id('bob')}`,
        { system: 'http://snomed.info/sct', code: '195967001' },
        { [release === 'dstu2' ? 'onsetQuantity' : 'onsetAge']: { value: 20, unit: 'a', system: ucum, code: 'a' } },
      ),
    elsewhere: () =>
      condition(
        'https://elsewhere.example.org/fhir/Patient/1',
        { code: 'local' },
        {
          contained: [
            {
              resourceType: 'Practitioner',
              id: 'p',
              name: release === 'dstu2' ? { family: ['Inner'] } : [{ family: 'Inner' }],
            },
          ],
          asserter: { reference: '#p' },
        },
      ),
  };
}

function others(release: Release): Resources {
  const valueSet = (url: string): JsonObject => ({ resourceType: 'ValueSet', status: 'active', url });
  const risk =
    (probabilityDecimal: number) =>
    (id: (name: string) => string): JsonObject => ({
      resourceType: 'RiskAssessment',
      status: 'final',
      subject: { reference: `Patient/${id('anna')}` },
      prediction: [{ outcome: { text: 'x' }, probabilityDecimal }],
    });
  return {
    vs: () => valueSet('http://acme.org/fhir/ValueSet/123'),
    vsBelow: () => valueSet('http://acme.org/fhir/ValueSet/123/_history/5'),
    vsOid: () => valueSet('urn:oid:1.2.3.4.5'),
    list: (id) => ({
      resourceType: 'List',
      status: 'current',
      mode: 'working',
      entry: [{ item: { reference: `Patient/${id('anna')}` } }],
    }),
    ...(release === 'dstu2' ? {} : { p100: risk(100), p99: risk(99.6), p96: risk(96), p1: risk(0.8) }),
  };
}
