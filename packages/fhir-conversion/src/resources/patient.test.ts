import { extensionOf, concept, inR4 } from '../../test/in-r4';

const SAME = {
  id: 'p-1',
  active: true,
  telecom: [{ system: 'phone', value: '555', use: 'mobile', rank: 1 }],
  gender: 'female',
  birthDate: '1970-03',
  _birthDate: {
    extension: [
      { url: 'http://hl7.org/fhir/StructureDefinition/patient-birthTime', valueDateTime: '1970-03-01T10:00:00Z' },
    ],
  },
  deceasedDateTime: '2020-01-01',
  address: [{ use: 'home', line: ['1 Main St', 'Apt 2'], city: 'Boston' }],
  multipleBirthInteger: 2,
  photo: [{ contentType: 'image/png', url: 'http://example.org/photo', size: 3 }],
  managingOrganization: { reference: 'Organization/1' },
  communication: [{ language: concept('urn:ietf:bcp:47', 'en'), preferred: true }],
};

describe('Patient', () => {
  it.each(['dstu2', 'stu3'] as const)('keeps the elements that are the same in %s', (release) => {
    expect(inR4(release, { resourceType: 'Patient', ...SAME })).toEqual({ resourceType: 'Patient', ...SAME });
  });

  it('joins the parts of a family name, and writes them to extensions', () => {
    expect(
      inR4('dstu2', {
        resourceType: 'Patient',
        name: [
          { use: 'official', family: ['van', 'der', 'Berg'], given: ['A', 'B'] },
          { family: ['Smith'], _family: [{ id: 'f' }] },
        ],
      })['name'],
    ).toEqual([
      {
        use: 'official',
        family: 'van der Berg',
        given: ['A', 'B'],
        extension: ['van', 'der', 'Berg'].map((valueString) =>
          extensionOf('dstu2', 'HumanName.family', { valueString }),
        ),
      },
      { family: 'Smith', _family: { id: 'f' } },
    ]);
  });

  it('keeps null beside the values of a repeated primitive', () => {
    const name = [
      { given: ['A', null], _given: [null, { extension: [{ url: 'http://example.org/x', valueCode: 'y' }] }] },
    ];
    expect(inR4('stu3', { resourceType: 'Patient', name })['name']).toEqual(name);
  });

  it('renames the care provider and the replacement of dstu2', () => {
    const content = {
      careProvider: [{ reference: 'Practitioner/1' }, { reference: 'Organization/2' }],
      link: ['replace', 'refer', 'seealso'].map((type) => ({ other: { reference: 'Patient/2' }, type })),
      contact: [{ relationship: [{ text: 'wife' }], name: { family: ['X'] }, gender: 'female' }],
    };
    expect(inR4('dstu2', { resourceType: 'Patient', ...content })).toEqual({
      resourceType: 'Patient',
      generalPractitioner: content.careProvider,
      link: ['replaced-by', 'refer', 'seealso'].map((type) => ({ other: { reference: 'Patient/2' }, type })),
      contact: [{ relationship: [{ text: 'wife' }], name: { family: 'X' }, gender: 'female' }],
    });
  });

  it.each(['dstu2', 'stu3'] as const)('writes the animal of %s to a modifier extension', (release) => {
    const animal = { species: { text: 'dog' }, breed: { text: 'poodle' } };
    expect(inR4(release, { resourceType: 'Patient', animal })).toEqual({
      resourceType: 'Patient',
      modifierExtension: [
        extensionOf(release, 'Patient.animal', {
          extension: [
            { url: 'species', valueCodeableConcept: { text: 'dog' } },
            { url: 'breed', valueCodeableConcept: { text: 'poodle' } },
          ],
        }),
      ],
    });
  });

  it.each(['dstu2', 'stu3'] as const)('replaces the URLs of code systems of %s that R4 has renamed', (release) => {
    const systems = {
      'http://hl7.org/fhir/v3/MaritalStatus': 'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus',
      'http://hl7.org/fhir/v2/0002': 'http://terminology.hl7.org/CodeSystem/v2-0002',
      'http://example.org/x': 'http://example.org/x',
    };
    expect(
      inR4(release, {
        resourceType: 'Patient',
        maritalStatus: { coding: Object.keys(systems).map((system) => ({ system, code: 'M' })) },
      })['maritalStatus'],
    ).toEqual({
      coding: Object.values(systems).map((system) => ({ system, code: 'M' })),
    });
  });
});

describe('RelatedPerson', () => {
  it('can have several relationships and names in R4', () => {
    expect(
      inR4('dstu2', {
        resourceType: 'RelatedPerson',
        patient: { reference: 'Patient/1' },
        relationship: { text: 'wife' },
        name: { family: ['X'] },
        gender: 'female',
        period: { start: '2000' },
      }),
    ).toEqual({
      resourceType: 'RelatedPerson',
      patient: { reference: 'Patient/1' },
      relationship: [{ text: 'wife' }],
      name: [{ family: 'X' }],
      gender: 'female',
      period: { start: '2000' },
    });
    expect(
      inR4('stu3', {
        resourceType: 'RelatedPerson',
        active: true,
        patient: { reference: 'Patient/1' },
        relationship: { text: 'wife' },
        name: [{ family: 'X' }],
      }),
    ).toEqual({
      resourceType: 'RelatedPerson',
      active: true,
      patient: { reference: 'Patient/1' },
      relationship: [{ text: 'wife' }],
      name: [{ family: 'X' }],
    });
  });
});
