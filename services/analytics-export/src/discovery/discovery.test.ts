import type { Resource } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import { ExportUnderTest, analyticsUrl } from '../../test/export-under-test';

let test: ExportUnderTest;
beforeAll(async () => {
  test = await ExportUnderTest.start();
});
afterAll(() => test.stop());

describe('discovery', () => {
  it('names the token endpoint, below the FHIR base and at the root', async () => {
    const [atBase, atRoot] = await Promise.all([
      test.get('/bulk-data/r4/.well-known/smart-configuration', {}),
      test.get('/.well-known/smart-configuration', {}),
    ]);
    expect([atBase.status, atBase.type, atBase.body]).toEqual([200, 'application/json', atRoot.body]);
    expect(atBase.body).toMatchObject({
      token_endpoint: 'https://auth.example.org/oauth2/token',
      token_endpoint_auth_methods_supported: expect.arrayContaining(['private_key_jwt']),
    });
  });

  it('names the exports of the Bulk Data Access guide in a valid CapabilityStatement', async () => {
    const { status, type, text } = await test.get('/bulk-data/r4/metadata', {});
    expect([status, type]).toEqual([200, 'application/fhir+json']);
    const statement = JSON.parse(text) as Resource;
    expect(validateResource('r4', statement)).toEqual([]);
    expect(statement).toMatchObject({
      instantiates: ['http://hl7.org/fhir/uv/bulkdata/CapabilityStatement/bulk-data'],
      implementation: { url: `${analyticsUrl}/bulk-data/r4` },
      rest: [
        {
          operation: [{ name: 'export' }],
          resource: [
            { type: 'Patient', operation: [{ name: 'export' }] },
            { type: 'Binary', interaction: [{ code: 'read' }] },
          ],
        },
      ],
    });
  });
});
