import { validateResource } from '@tributary/fhir-validation';
import { FhirStoreUnderTest, baseUrl } from '../../test/fhir-store-under-test';
import { resourceOf, textOf } from '../../test/record-over-http';

describe('discovery of the FHIR bases', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  describe.each(['dstu2', 'stu3', 'r4'] as const)('%s', (release) => {
    it('has a SMART configuration with endpoints that exist, and without those that do not', async () => {
      const response = await store.user().get(`/${release}/.well-known/smart-configuration`).unset('Authorization');
      expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      const configuration: unknown = JSON.parse(textOf(response));
      expect(configuration).toMatchObject({
        issuer: 'https://auth.example.org',
        token_endpoint: 'https://auth.example.org/oauth2/token',
        revocation_endpoint: 'https://auth.example.org/oauth2/revoke',
        introspection_endpoint: 'https://auth.example.org/oauth2/introspect',
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: [],
      });
      expect(configuration).not.toHaveProperty('authorization_endpoint');
    });

    it('is named by the challenge, whose metadata names the authorization server', async () => {
      const refused = await store.user().get(`/${release}/Patient`).unset('Authorization');
      const metadataUrl = `${baseUrl}/.well-known/oauth-protected-resource/${release}`;
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([
        401,
        `Bearer realm="tributary", resource_metadata="${metadataUrl}"`,
      ]);
      const metadata = await store.user().get(metadataUrl).unset('Authorization');
      expect(JSON.parse(textOf(metadata))).toEqual({
        resource: `${baseUrl}/${release}`,
        authorization_servers: ['https://auth.example.org'],
        scopes_supported: ['user', 'patient/*.rs', 'patient/*.cruds'],
        bearer_methods_supported: ['header'],
        resource_name: `FHIR ${release}`,
      });
    });

    it('names the endpoints in its statement, which is valid and the same in every process', async () => {
      const statement = resourceOf(await store.user().get(`/${release}/metadata`));
      expect(validateResource(release, statement)).toEqual([]);
      expect(statement).toMatchObject({
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        software: { version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
        rest: [
          {
            security: {
              extension: [
                {
                  url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
                  extension: [
                    { url: 'token', valueUri: 'https://auth.example.org/oauth2/token' },
                    { url: 'revoke', valueUri: 'https://auth.example.org/oauth2/revoke' },
                    { url: 'introspect', valueUri: 'https://auth.example.org/oauth2/introspect' },
                  ],
                },
              ],
            },
          },
        ],
      });
    });
  });
});
