import { releaseOfAddress, releaseOfVersion } from './release';

describe('releaseOfVersion', () => {
  it.each([
    ['1.0.2', 'dstu2'],
    ['1.0', 'dstu2'],
    ['3.0.0', 'stu3'],
    ['3.0.2', 'stu3'],
    ['4.0.1', 'r4'],
    [' 4.0.0 ', 'r4'],
    ['R4', 'r4'],
    ['DSTU2', 'dstu2'],
    ['STU3', 'stu3'],
  ])('knows %s as %s', (version, release) => expect(releaseOfVersion(version)).toBe(release));

  it.each(['0.5.0', '1.4.0', '3.5.0', '4.3.0', '5.0.0', '4.0.1-beta', 'R4B', 'R5', 'DSTU1'])(
    'knows %s as a release that is not supported',
    (version) => expect(releaseOfVersion(version)).toBe('other'),
  );

  it.each(['', 'four', '4', 'v4'])('finds no release in %p', (version) =>
    expect(releaseOfVersion(version)).toBeUndefined(),
  );
});

describe('releaseOfAddress', () => {
  it.each([
    ['https://fhir.example.org/r4/3b1f2a/', 'r4'],
    ['https://fhir-ehr.example.org/dstu2/3b1f2a', 'dstu2'],
    ['https://ehr.example.org/FHIRProxy/api/FHIR/R4/', 'r4'],
    ['https://ehr.example.org/FHIR/api/FHIR/DSTU2', 'dstu2'],
    ['https://ehr.example.org/api/FHIR/STU3', 'stu3'],
    ['https://ehr.example.org:443/v1/uscore/R4', 'r4'],
    ['https://ehr.example.org/nge/prod/fhir-api-r4/fhir/R4', 'r4'],
    ['https://ehr.example.org/hapi/fhirR4', 'r4'],
    ['https://ehr.example.org/fhir/4_0_1', 'r4'],
    ['https://ehr.example.org/fhir/3.0/tenant', 'stu3'],
    ['https://r4.ehr.example.org/fhir', 'r4'],
    ['https://fhir-dstu2.ehr.example.org/x', 'dstu2'],
    ['https://r4.ehr.example.org/fhir/dstu2', 'dstu2'],
    ['https://ehr.example.org/fhir/r4b', 'other'],
    ['https://ehr.example.org/fhir/R5', 'other'],
  ])('finds the release of %s', (address, release) => expect(releaseOfAddress(address)).toBe(release));

  it.each([
    'https://ehr.example.org/fhir',
    'https://ehr.example.org/v4/fhir',
    'https://ehr.example.org/v2/argonaut/v1',
    'https://ehr.example.org/r4/dstu2',
    'https://ehr.example.org/-KzIoYV6gk-r4-4aa1',
    'https://dr4.example.org/fhir',
    'https://r4.org/fhir',
  ])('finds none in %s', (address) => expect(releaseOfAddress(address)).toBeUndefined());
});
