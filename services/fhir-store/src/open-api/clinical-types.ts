import { exampleValues } from '@tributary/contracts';
import type { Release } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { typeBecoming } from '../resources/stored-path';

const patient = { reference: `Patient/${exampleValues.resource_id}` };
const height = {
  coding: [{ system: 'http://loinc.org', code: '8302-2', display: 'Body height' }],
  text: 'Body height',
};
const hypertension = { coding: [{ system: 'http://snomed.info/sct', code: '38341003' }], text: 'Hypertension' };
const aspirin = {
  coding: [{ system: 'http://www.nlm.nih.gov/research/umls/rxnorm', code: '1191', display: 'aspirin' }],
  text: 'Aspirin',
};
const confirmed = (system: string, code: string): object => ({ coding: [{ system, code }] });
const terminology = 'http://terminology.hl7.org/CodeSystem';

/** What differs between the releases in the smallest useful resource of a type; STU3 is the base. */
const common: ReadonlyMap<string, object> = new Map(
  Object.entries({
    Patient: { name: [{ family: 'Rivera', given: ['Ines'] }], gender: 'female', birthDate: '1990-07-04' },
    Observation: {
      status: 'final',
      code: height,
      subject: patient,
      effectiveDateTime: '2025-03-14T09:30:00Z',
      valueQuantity: { value: 172, unit: 'cm', system: 'http://unitsofmeasure.org', code: 'cm' },
    },
    Condition: { code: hypertension, subject: patient, clinicalStatus: 'active', verificationStatus: 'confirmed' },
    AllergyIntolerance: { code: aspirin, patient, clinicalStatus: 'active', verificationStatus: 'confirmed' },
    Procedure: { status: 'completed', code: { text: 'Appendectomy' }, subject: patient },
    MedicationStatement: {
      status: 'active',
      taken: 'y',
      medicationCodeableConcept: aspirin,
      subject: patient,
    },
    MedicationRequest: { status: 'active', intent: 'order', medicationCodeableConcept: aspirin, subject: patient },
    Immunization: {
      status: 'completed',
      notGiven: false,
      primarySource: true,
      vaccineCode: { coding: [{ system: 'http://hl7.org/fhir/sid/cvx', code: '140' }], text: 'Influenza' },
      patient,
    },
    DiagnosticReport: { status: 'final', code: { text: 'Complete blood count' }, subject: patient },
    RelatedPerson: { patient, name: [{ family: 'Rivera', given: ['Luis'] }] },
    Encounter: { status: 'finished', subject: patient },
    DocumentReference: {
      status: 'current',
      type: { text: 'Discharge summary' },
      subject: patient,
      indexed: '2025-03-14T09:30:00Z',
      content: [{ attachment: { contentType: 'text/plain', data: 'RGlzY2hhcmdlZC4=' } }],
    },
  }),
);

const { taken: _taken, ...medicationStatement } = common.get('MedicationStatement') as Record<string, unknown>;
const { notGiven: _notGiven, ...immunization } = common.get('Immunization') as Record<string, unknown>;
const { indexed: _indexed, ...documentReference } = common.get('DocumentReference') as Record<string, unknown>;

const differences: Record<Release, ReadonlyMap<string, object>> = {
  dstu2: new Map(
    Object.entries({
      Patient: { name: [{ family: ['Rivera'], given: ['Ines'] }], gender: 'female', birthDate: '1990-07-04' },
      Condition: { code: hypertension, patient, clinicalStatus: 'active', verificationStatus: 'confirmed' },
      AllergyIntolerance: { substance: aspirin, patient, status: 'active' },
      MedicationStatement: { status: 'active', medicationCodeableConcept: aspirin, patient },
      MedicationOrder: { status: 'active', medicationCodeableConcept: aspirin, patient },
      Immunization: { ...immunization, wasNotGiven: false, reported: false, primarySource: undefined },
      DiagnosticReport: {
        ...common.get('DiagnosticReport'),
        effectiveDateTime: '2025-03-14T09:30:00Z',
        issued: '2025-03-14T10:00:00Z',
        performer: { display: 'Example Laboratory' },
      },
      RelatedPerson: { patient, name: { family: ['Rivera'], given: ['Luis'] } },
      Encounter: { status: 'finished', patient },
    }),
  ),
  stu3: new Map(),
  r4: new Map(
    Object.entries({
      Condition: {
        code: hypertension,
        subject: patient,
        clinicalStatus: confirmed(`${terminology}/condition-clinical`, 'active'),
        verificationStatus: confirmed(`${terminology}/condition-ver-status`, 'confirmed'),
      },
      AllergyIntolerance: {
        code: aspirin,
        patient,
        clinicalStatus: confirmed(`${terminology}/allergyintolerance-clinical`, 'active'),
        verificationStatus: confirmed(`${terminology}/allergyintolerance-verification`, 'confirmed'),
      },
      MedicationStatement: medicationStatement,
      Immunization: { ...immunization, occurrenceDateTime: '2024-10-02' },
      Encounter: {
        status: 'finished',
        class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
        subject: patient,
      },
      DocumentReference: documentReference,
    }),
  ),
};

/** The types whose paths, search parameters and elements the document of a release names one by one. */
export function clinicalTypes(release: Release): string[] {
  return [...common.keys()].map((type) => typeBecoming(release, type) ?? type);
}

/** A valid resource of a clinical type, of Basic or of Binary, which can be created as it is. */
export function exampleResource(release: Release, type: string): Resource {
  if (type === 'Basic') return { resourceType: 'Basic', code: { text: 'A resource of another type' } };
  if (type === 'Binary')
    return { resourceType: 'Binary', contentType: 'text/plain', [release === 'r4' ? 'data' : 'content']: 'SGVsbG8=' };
  const content = differences[release].get(type) ?? common.get(type) ?? {};
  return JSON.parse(JSON.stringify({ resourceType: type, ...content })) as Resource;
}

/** A resource as an example to create, as the version that is stored then, and as an update of it, by name. */
export function exampleComponents(release: Release, type: string): [string, { summary: string; value: object }][] {
  const example = exampleResource(release, type);
  const id = exampleValues.resource_id;
  const meta = { versionId: '1', lastUpdated: '2025-11-22T08:30:00.000Z' };
  return [
    [type, { summary: `${type} to create`, value: example }],
    [`${type}.update`, { summary: `The next version of ${type}`, value: { ...example, id } }],
    [`${type}.stored`, { summary: `${type} in the record`, value: { ...example, id, meta } }],
  ];
}

/** `examples` of a media type with one example component. */
export function exampleRef(name: string): Record<string, { $ref: string }> {
  return { [name]: { $ref: `#/components/examples/${name}` } };
}
