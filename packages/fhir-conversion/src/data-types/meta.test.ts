import { convertToR4 } from '../index';

const extension = {
  url: 'http://hl7.org/fhir/4.0/StructureDefinition/extension-Meta.source',
  valueUri: 'https://fhir.example.org/dstu2/Patient/1',
};
const other = { url: 'http://example.org/x', valueString: 'y' };

describe('Meta', () => {
  it.each(['dstu2', 'stu3'] as const)(
    'of %s: the source that had to be an extension becomes meta.source',
    (release) => {
      const converted = convertToR4(release, {
        resourceType: 'Patient',
        meta: { versionId: '1', extension: [extension] },
      }).resource;
      expect(converted?.meta).toEqual({
        versionId: '1',
        source: extension.valueUri,
        tag: [expect.objectContaining({ code: `converted-from-${release}` })],
      });
      const both = convertToR4(release, { resourceType: 'Patient', meta: { extension: [other, extension] } }).resource;
      expect(both?.meta).toMatchObject({ source: extension.valueUri, extension: [other] });
    },
  );

  it('does not change other forms', () => {
    for (const given of [
      other,
      { ...extension, valueUri: 1 },
      { url: extension.url, valueString: 'x' },
      { ...extension, id: 'a' },
    ]) {
      const { resource } = convertToR4('stu3', { resourceType: 'Patient', meta: { extension: [given] } });
      if (resource) expect(resource.meta).toMatchObject({ extension: [given] });
    }
  });
});
