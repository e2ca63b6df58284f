import { releases, type Release } from '@tributary/fhir-definitions';
import { parseJson, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { operationOutcome, recognizeResource, validateResource } from './index';

/** A fault in short: "required Patient.name". */
function faults(release: Release, resource: JsonValue): string[] {
  return validateResource(release, resource).map(({ code, expression }) => `${code} ${expression}`);
}

function patient(content: JsonObject): JsonObject {
  return { resourceType: 'Patient', ...content };
}

function observation(content: JsonObject): JsonObject {
  return { resourceType: 'Observation', status: 'final', code: { text: 'Weight' }, ...content };
}

describe.each(releases)('validateResource in %s', (release) => {
  it('accepts a valid resource', () => {
    const resource = parseJson(`{
      "resourceType": "Patient", "id": "a-1", "meta": {"versionId": "1", "lastUpdated": "2020-02-29T12:00:00.123+01:00"},
      "text": {"status": "generated", "div": "<div xmlns=\\"http://www.w3.org/1999/xhtml\\"><p>A <b>patient</b></p></div>"},
      "extension": [{"url": "http://example.org/weight", "valueDecimal": 1.0}, {"url": "http://example.org/group", "extension": [{"url": "part", "valueCode": "x"}]}],
      "name": [{"use": "official", "given": ["Ann", null], "_given": [null, {"extension": [{"url": "http://example.org/unknown", "valueBoolean": true}]}]}],
      "gender": "female", "birthDate": "1970-03", "_birthDate": {"id": "b1"}, "deceasedBoolean": false, "multipleBirthInteger": 2,
      "managingOrganization": {"reference": "#org"}, "contained": [{"resourceType": "Organization", "id": "org", "name": "Clinic"}]
    }`);
    expect(validateResource(release, resource)).toEqual([]);
  });

  it('accepts sampled data', () => {
    expect(
      faults(
        release,
        observation({ valueSampledData: { origin: { value: 0 }, period: 10, dimensions: 1, data: '2041 E -3.5 U' } }),
      ),
    ).toEqual([]);
  });

  it('names unknown elements, at any depth', () => {
    expect(faults(release, patient({ nickname: 'x' }))).toEqual(['structure Patient.nickname']);
    expect(faults(release, patient({ name: [{ family: release === 'dstu2' ? ['x'] : 'x', middle: 'y' }] }))).toEqual([
      'structure Patient.name[0].middle',
    ]);
    expect(faults(release, observation({ value: 'x' }))).toEqual(['structure Observation.value']);
    expect(faults(release, observation({ valueAddress: {} }))).toEqual(['structure Observation.valueAddress']);
  });

  it('does not repeat a property name that is not a valid element name', () => {
    const [issue] = validateResource(release, patient({ 'John Smith, born 1970': 1 }));
    expect(issue).toMatchObject({ code: 'structure', expression: 'Patient' });
    expect(JSON.stringify(issue)).not.toMatch(/Smith|1970/);
  });

  it('reports missing required elements', () => {
    expect(faults(release, { resourceType: 'Observation' })).toEqual([
      'required Observation.status',
      'required Observation.code',
    ]);
    expect(faults(release, observation({ component: [{}] }))).toContain('required Observation.component[0].code');
    expect(faults(release, patient({ link: [{ type: 'refer' }] }))).toEqual(['required Patient.link[0].other']);
  });

  it('accepts an extension of a required primitive without a value', () => {
    const missing = {
      extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
    };
    expect(faults(release, { resourceType: 'Observation', _status: missing, code: { text: 'x' } })).toEqual([]);
  });

  it('distinguishes arrays from single values', () => {
    expect(faults(release, patient({ name: { text: 'x' } }))).toEqual(['structure Patient.name']);
    expect(faults(release, patient({ birthDate: ['1970'] }))).toEqual(['structure Patient.birthDate']);
    expect(faults(release, patient({ name: [[{ text: 'x' }]] }))).toEqual(['structure Patient.name[0]']);
    expect(faults(release, patient({ maritalStatus: [{ text: 'x' }] }))).toEqual(['structure Patient.maritalStatus']);
  });

  it('distinguishes objects from primitives', () => {
    expect(faults(release, patient({ name: ['x'] }))).toEqual(['structure Patient.name[0]']);
    expect(faults(release, patient({ birthDate: { value: '1970' } }))).toEqual(['structure Patient.birthDate']);
    expect(faults(release, patient({ active: 'true' }))).toEqual(['structure Patient.active']);
    expect(faults(release, patient({ multipleBirthInteger: '2' }))).toEqual(['structure Patient.multipleBirth']);
    expect(faults(release, observation({ valueQuantity: { value: '1.0' } }))).toEqual([
      'structure Observation.value.value',
    ]);
  });

  it('refuses empty objects, arrays and strings', () => {
    expect(faults(release, patient({ name: [] }))).toEqual(['structure Patient.name']);
    expect(faults(release, patient({ name: [{}] }))).toEqual(['structure Patient.name[0]']);
    expect(faults(release, patient({ maritalStatus: {} }))).toEqual(['structure Patient.maritalStatus']);
    expect(faults(release, patient({ language: '' }))).toEqual(['value Patient.language']);
    expect(faults(release, patient({ name: [{ id: 'x' }] }))).toEqual(['invariant Patient.name[0]']);
  });

  it('allows null only in an array of primitives beside a value', () => {
    expect(faults(release, patient({ gender: null }))).toEqual(['structure Patient.gender']);
    expect(faults(release, patient({ name: [null] }))).toEqual(['structure Patient.name[0]']);
    expect(faults(release, patient({ name: [{ given: ['a', null] }] }))).toEqual([
      'structure Patient.name[0].given[1]',
    ]);
    expect(faults(release, patient({ name: [{ given: ['a'], _given: [null] }] }))).toEqual([]);
    expect(
      faults(release, patient({ name: [{ _given: [{ id: 'x', extension: [{ url: 'u', valueCode: 'y' }] }] }] })),
    ).toEqual([]);
    expect(faults(release, patient({ name: [{ given: ['a'], _given: [null, null] }] }))).toEqual([
      'structure Patient.name[0].given[1]',
    ]);
  });

  it('checks the extensions of primitives', () => {
    expect(faults(release, patient({ _birthDate: { extension: [{ valueCode: 'x' }] } }))).toEqual([
      'required Patient.birthDate.extension[0].url',
    ]);
    expect(faults(release, patient({ _birthDate: { value: 'x' } }))).toEqual(['structure Patient.birthDate.value']);
    expect(faults(release, patient({ _birthDate: { id: 'x' } }))).toEqual(['invariant Patient.birthDate']);
    expect(faults(release, patient({ birthDate: '1970', _birthDate: { id: 'x' } }))).toEqual([]);
    expect(faults(release, patient({ _birthDate: 'x' }))).toEqual(['structure Patient.birthDate']);
    expect(faults(release, patient({ _name: [{ id: 'x' }] }))).toEqual(['structure Patient.name']);
    expect(faults(release, patient({ extension: [{ url: 'u', _url: {}, valueCode: 'x' }] }))).toEqual([
      'structure Patient.extension[0].url',
    ]);
  });

  it('allows one type of a choice', () => {
    expect(faults(release, observation({ valueString: 'x', valueQuantity: { value: 1 } }))).toEqual([
      'structure Observation.value',
    ]);
    expect(
      faults(release, observation({ valueString: 'x', _valueTime: { extension: [{ url: 'u', valueCode: 'y' }] } })),
    ).toEqual(['structure Observation.value']);
    expect(
      faults(release, observation({ valueString: 'x', _valueString: { extension: [{ url: 'u', valueCode: 'y' }] } })),
    ).toEqual([]);
    expect(faults(release, observation({ valueString: 'x', effectiveDateTime: '2020' }))).toEqual([]);
  });

  it('checks the formats of primitives', () => {
    expect(faults(release, patient({ birthDate: '1970-02-30' }))).toEqual(['value Patient.birthDate']);
    expect(faults(release, patient({ birthDate: '1970-02-03T00:00:00Z' }))).toEqual(['value Patient.birthDate']);
    expect(faults(release, observation({ effectiveDateTime: '2020-01-01T10:00' }))).toEqual([
      'value Observation.effective',
    ]);
    expect(faults(release, observation({ issued: '2020-01-01' }))).toEqual(['value Observation.issued']);
    expect(faults(release, observation({ id: 'a b' }))).toEqual(['value Observation.id']);
    expect(faults(release, observation({ id: 'a'.repeat(65) }))).toEqual(['value Observation.id']);
    expect(faults(release, patient({ language: ' en' }))).toEqual(['value Patient.language']);
    expect(faults(release, patient({ photo: [{ data: 'abc' }] }))).toEqual(['value Patient.photo[0].data']);
    expect(faults(release, patient({ multipleBirthInteger: 1.5 }))).toEqual(['value Patient.multipleBirth']);
    expect(faults(release, parseJson('{"resourceType":"Patient","multipleBirthInteger":1.0}'))).toEqual([
      'value Patient.multipleBirth',
    ]);
    expect(faults(release, patient({ text: { status: 'generated', div: '<div><script>x</script></div>' } }))).toEqual([
      'value Patient.text.div',
    ]);
  });

  it('checks required codes, and lists those that are expected', () => {
    const [issue] = validateResource(release, patient({ gender: 'F' }));
    expect(issue).toMatchObject({
      severity: 'error',
      code: 'code-invalid',
      expression: 'Patient.gender',
      location: '/f:Patient/f:gender',
    });
    expect(issue?.diagnostics).toMatch(/: .*\bmale\b/);
    expect(faults(release, observation({ status: 'done' }))).toEqual(['code-invalid Observation.status']);
    expect(faults(release, observation({ valueQuantity: { value: 1, comparator: '=' } }))).toEqual([
      'code-invalid Observation.value.comparator',
    ]);
  });

  it('checks the types that references refer to', () => {
    expect(faults(release, observation({ subject: { reference: 'Patient/1' } }))).toEqual([]);
    expect(faults(release, observation({ subject: { reference: 'Patient/1/_history/2' } }))).toEqual([]);
    expect(faults(release, observation({ subject: { reference: 'Patient?identifier=1' } }))).toEqual([]);
    expect(
      faults(release, observation({ subject: { reference: 'urn:uuid:7bb5f8b6-7e2f-4f5e-8d43-7f3d3c1f9d11' } })),
    ).toEqual([]);
    expect(faults(release, observation({ subject: { reference: 'https://example.org/data' } }))).toEqual([]);
    expect(faults(release, observation({ subject: { display: 'x' } }))).toEqual([]);
    expect(faults(release, observation({ subject: { reference: 'Practitioner/1' } }))).toEqual([
      'value Observation.subject.reference',
    ]);
    expect(faults(release, observation({ subject: { reference: 'https://example.org/fhir/Practitioner/1' } }))).toEqual(
      ['value Observation.subject.reference'],
    );
    expect(faults(release, observation({ subject: { reference: 'Nobody/1' } }))).toEqual([
      'value Observation.subject.reference',
    ]);
    expect(faults(release, observation({ subject: { reference: '#x' } }))).toEqual([
      'invariant Observation.subject.reference',
    ]);
    const contained = [{ resourceType: 'Practitioner', id: 'x' }];
    expect(faults(release, observation({ contained, subject: { reference: '#x' } }))).toEqual([
      'value Observation.subject.reference',
    ]);
    expect(faults(release, observation({ contained, performer: [{ reference: '#x' }] }))).toEqual([]);
  });

  it('checks contained resources', () => {
    expect(faults(release, patient({ contained: [{ resourceType: 'Observation', id: 'x' }] }))).toEqual([
      'required Patient.contained[0].status',
      'required Patient.contained[0].code',
    ]);
    expect(faults(release, patient({ contained: [{ id: 'x' }] }))).toEqual(['structure Patient.contained[0]']);
    expect(faults(release, patient({ contained: [{ resourceType: 'Nothing' }] }))).toEqual([
      'not-supported Patient.contained[0]',
    ]);
    expect(
      faults(
        release,
        patient({ contained: [{ resourceType: 'Patient', contained: [{ resourceType: 'Patient', id: 'y' }] }] }),
      ),
    ).toEqual(['invariant Patient.contained[0]']);
  });

  it('checks the resources of a Bundle, each with its own contained ones', () => {
    const entry = (resource: JsonObject): JsonObject => ({ resource });
    const contained = [{ resourceType: 'Organization', id: 'o' }];
    const bundle = {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        entry(patient({ contained, managingOrganization: { reference: '#o' } })),
        entry(patient({ managingOrganization: { reference: '#o' } })),
      ],
    };
    expect(validateResource(release, bundle)).toMatchObject([
      {
        expression: 'Bundle.entry[1].resource.managingOrganization.reference',
        location: '/f:Bundle/f:entry[2]/f:resource/*/f:managingOrganization/f:reference',
      },
    ]);
  });

  it('requires either a value or extensions in an extension', () => {
    expect(faults(release, patient({ extension: [{ url: 'u' }] }))).toEqual(['invariant Patient.extension[0]']);
    expect(
      faults(
        release,
        patient({ extension: [{ url: 'u', valueCode: 'x', extension: [{ url: 'v', valueCode: 'y' }] }] }),
      ),
    ).toEqual(['invariant Patient.extension[0]']);
  });

  it('lists every issue', () => {
    const resource = patient({ nickname: 'x', gender: 'F', birthDate: 'yesterday', name: [{ given: 'Ann' }] });
    expect(faults(release, resource)).toEqual([
      'structure Patient.nickname',
      'code-invalid Patient.gender',
      'value Patient.birthDate',
      'structure Patient.name[0].given',
    ]);
  });

  it('distinguishes values that are not resources from invalid resources', () => {
    for (const value of [
      null,
      1,
      'Patient',
      [],
      {},
      { resourceType: 1 },
      { resourceType: 'Nothing' },
      { resourceType: 'DomainResource' },
      { resourceType: 'HumanName' },
      { resourceType: 'constructor' },
    ]) {
      expect(recognizeResource(release, value).issue).toMatchObject({ severity: 'fatal' });
      expect(validateResource(release, value)).toMatchObject([{ severity: 'fatal' }]);
    }
    const bad = patient({ nickname: 'x' });
    expect(recognizeResource(release, bad)).toEqual({ resource: bad });
  });

  it('returns a valid OperationOutcome', () => {
    for (const resource of [patient({}), patient({ nickname: 'x' }), 1]) {
      const outcome = operationOutcome(release, validateResource(release, resource));
      expect(validateResource(release, outcome)).toEqual([]);
    }
    expect(operationOutcome(release, validateResource(release, patient({ name: [{ nickname: 'x' }] })))).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [
        release === 'dstu2'
          ? { location: ['/f:Patient/f:name[1]/f:nickname'] }
          : { expression: ['Patient.name[0].nickname'] },
      ],
    });
    expect(operationOutcome(release, [])).toMatchObject({ issue: [{ severity: 'information' }] });
  });
});

describe('the releases', () => {
  it('differ in their elements', () => {
    const condition = {
      resourceType: 'Condition',
      patient: { reference: 'Patient/1' },
      code: { text: 'x' },
      verificationStatus: 'confirmed',
    };
    expect(faults('dstu2', condition)).toEqual([]);
    expect(faults('stu3', condition)).toEqual(['structure Condition.patient', 'required Condition.subject']);
    expect(faults('r4', { ...condition, onsetAge: { value: 1 } })).toContain('structure Condition.verificationStatus');
    expect(faults('dstu2', { ...condition, onsetQuantity: { value: 1 } })).toEqual([]);
  });

  it('differ in the formats of their primitives', () => {
    const tiny = (): JsonValue =>
      parseJson('{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1E-9}}');
    expect(faults('stu3', tiny())).toEqual(['value Observation.value.value']);
    expect(faults('r4', tiny())).toEqual([]);
    expect(faults('stu3', observation({ identifier: [{ system: 'a b' }] }))).toEqual([]);
    expect(faults('r4', observation({ identifier: [{ system: 'a b' }] }))).toEqual([
      'value Observation.identifier[0].system',
    ]);
  });

  it('bind CodeableConcepts in r4 by system and code', () => {
    const allergy = (clinicalStatus: JsonObject): JsonObject => ({
      resourceType: 'AllergyIntolerance',
      patient: { reference: 'Patient/1' },
      clinicalStatus,
    });
    const system = 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical';
    expect(
      faults(
        'r4',
        allergy({
          coding: [
            { system: 'http://example.org', code: 'own' },
            { system, code: 'active' },
          ],
        }),
      ),
    ).toEqual([]);
    expect(faults('r4', allergy({ coding: [{ system, code: 'on' }] }))).toEqual([
      'code-invalid AllergyIntolerance.clinicalStatus',
    ]);
    expect(faults('r4', allergy({ coding: [{ code: 'active' }] }))).toEqual([
      'code-invalid AllergyIntolerance.clinicalStatus',
    ]);
    expect(faults('r4', allergy({ text: 'active' }))).toEqual(['code-invalid AllergyIntolerance.clinicalStatus']);
  });

  it('check Reference.type in r4', () => {
    expect(faults('r4', observation({ subject: { type: 'Practitioner', display: 'x' } }))).toEqual([
      'value Observation.subject.type',
    ]);
  });

  it('allow fhir_comments only in DSTU2', () => {
    const commented = patient({ fhir_comments: ['x'], _birthDate: { fhir_comments: ['y'] } });
    expect(faults('dstu2', commented)).toEqual([]);
    expect(faults('r4', commented)).toEqual(['structure Patient', 'structure Patient.birthDate']);
    expect(faults('dstu2', patient({ fhir_comments: 'x' }))).toEqual(['structure Patient.fhir_comments']);
  });

  it('forbid the comparator of a SimpleQuantity', () => {
    const range = observation({ referenceRange: [{ low: { value: 1, comparator: '<' } }] });
    for (const release of releases)
      expect(faults(release, range)).toEqual(['structure Observation.referenceRange[0].low.comparator']);
  });
});
