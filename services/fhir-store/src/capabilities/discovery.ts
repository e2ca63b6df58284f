import { smartConfiguration, smartConfigurationOf, userScopes } from '@tributary/contracts';
import { releases } from '@tributary/fhir-definitions';
import { type Api, anyone } from '@tributary/service-kit';

/**
 * Serves the SMART configuration of each FHIR base, which names the token endpoint, and the metadata of RFC 9728.
 * @see https://hl7.org/fhir/smart-app-launch/conformance.html
 */
export function serveDiscovery(api: Api, baseUrl: string, authUrl: string): void {
  const configuration = smartConfigurationOf(authUrl, {
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: userScopes,
    capabilities: [],
  });
  for (const release of releases) {
    api.route(
      {
        method: 'get',
        path: `/${release}/.well-known/smart-configuration`,
        operationId: `smartConfigurationOf_${release}`,
        summary: `The SMART configuration of the ${release} base, with the token endpoint`,
        tags: ['Discovery'],
        authentication: anyone,
        responses: { 200: { description: 'SMART configuration.', schema: smartConfiguration } },
      },
      () => configuration,
    );
    api.protect({
      url: `${baseUrl}/${release}`,
      authorizationServer: authUrl,
      scopes: userScopes,
      name: `FHIR ${release}`,
    });
  }
}
