// The records that the sandbox serves in the journeys: small ones from here, and real ones where they exist beside the
// repository.
const { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * One person in three releases, with what collectors get wrong: decimals with their text, references of every form,
 * contained resources, resources outside the compartment.
 */
function smallRecord(release) {
  const patient = {
    resourceType: 'Patient',
    id: 'p1',
    name: [{ use: 'official', family: release === 'dstu2' ? ['Kowalczyk'] : 'Kowalczyk', given: ['Ida'] }],
    gender: 'female',
    birthDate: '1971-02-28',
    managingOrganization: { reference: 'Organization/o1' },
  };
  const organization = { resourceType: 'Organization', id: 'o1', name: 'Lakeside Clinic' };
  const practitioner = {
    resourceType: 'Practitioner',
    id: 'd1',
    name: release === 'dstu2' ? { family: ['Osei'] } : [{ family: 'Osei' }],
  };
  const encounter = {
    resourceType: 'Encounter',
    id: 'e1',
    status: 'finished',
    ...(release === 'r4'
      ? { class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' } }
      : release === 'dstu2'
        ? { class: 'outpatient' }
        : { class: { code: 'AMB' } }),
    [release === 'dstu2' ? 'patient' : 'subject']: { reference: 'Patient/p1' },
    serviceProvider: { reference: 'Organization/o1' },
    participant: [{ individual: { reference: 'Practitioner/d1' } }],
  };
  const observations = Array.from({ length: 60 }, (_x, index) => {
    const text = [`1.50`, `0.0`, `100`, `3.14159265358979323846`, `1e2`, `-0.10`][index % 6];
    return `{"resourceType":"Observation","id":"o-${index}","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"${index % 2 ? '8302-2' : '29463-7'}"}]},"subject":{"reference":"Patient/p1"},"encounter":{"reference":"Encounter/e1"},"effectiveDateTime":"20${String(10 + (index % 10))}-0${1 + (index % 9)}-15","valueQuantity":{"value":${text},"unit":"cm","system":"http://unitsofmeasure.org","code":"cm"}}`;
  });
  const laboratory = {
    coding: [
      {
        system:
          release === 'r4'
            ? 'http://terminology.hl7.org/CodeSystem/observation-category'
            : 'http://hl7.org/fhir/observation-category',
        code: 'laboratory',
      },
    ],
  };
  const hemoglobinA1c = {
    resourceType: 'Observation',
    id: 'a1c',
    status: 'final',
    category: release === 'dstu2' ? laboratory : [laboratory],
    code: { coding: [{ system: 'http://loinc.org', code: '4548-4' }], text: 'Hemoglobin A1c' },
    subject: { reference: 'Patient/p1' },
    effectiveDateTime: '2021-03-04',
    valueQuantity: { value: 6.9, unit: '%', system: 'http://unitsofmeasure.org', code: '%' },
  };
  const conditionPatient =
    release === 'dstu2'
      ? { patient: { reference: 'Patient/p1' }, verificationStatus: 'confirmed' }
      : { subject: { reference: 'Patient/p1' } };
  const condition = {
    resourceType: 'Condition',
    id: 'c1',
    ...conditionPatient,
    code: {
      coding: [{ system: 'http://snomed.info/sct', code: '44054006', display: 'Diabetes mellitus type 2' }],
      text: 'Diabetes',
    },
    contained: [{ resourceType: 'Practitioner', id: 'inside' }],
    asserter: { reference: '#inside' },
  };
  const dangling = {
    resourceType: 'Procedure',
    id: 'x1',
    status: 'completed',
    subject: { reference: 'Patient/p1' },
    code: { text: 'Appendectomy' },
    encounter: { reference: 'Encounter/never-granted' },
  };
  return [patient, organization, practitioner, encounter, condition, dangling, hemoglobinA1c]
    .map((resource) => JSON.stringify(resource))
    .concat(observations);
}

/**
 * Records that together have every clinical type, with few of the resources of all records. The first person of the
 * sandbox is then the small one, whose record is in each release.
 */
const representative = /^(?:blaze-|hl7-(?:stu3|r4)-)/;

/**
 * Makes the folder of records that the sandbox serves: a small one, and real ones where `data` has them.
 * @param {'all' | 'representative' | 'small'} selection `small`: no real ones
 * @param copies real files instead of links, for a container that sees nothing else of this machine
 */
function makeRecords(folder, data, selection, copies = false) {
  const put = copies ? copyFileSync : symlinkSync;
  for (const release of ['dstu2', 'stu3', 'r4']) {
    mkdirSync(join(folder, release), { recursive: true });
    writeFileSync(join(folder, release, 'small-Ida-Kowalczyk.ndjson'), `${smallRecord(release).join('\n')}\n`);
    const real = join(data, 'records', release);
    if (selection === 'small' || !existsSync(real)) continue;
    for (const name of readdirSync(real).filter((entry) => entry.endsWith('.ndjson.gz')))
      if (selection === 'all' || representative.test(name)) put(join(real, name), join(folder, release, name));
  }
}

module.exports = { makeRecords };
