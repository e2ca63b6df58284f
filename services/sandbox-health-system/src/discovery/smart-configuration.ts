import type { Sandbox } from '../sandbox';
import { scenariosNamed } from '../scenarios/catalogue';
import type { OauthEndpoints } from '../scenarios/scenario';
import type { PublicBase } from '../public-base';

/** The OAuth endpoints under a public base. */
export function oauthEndpoints(sandbox: Sandbox, publicBase: PublicBase): OauthEndpoints {
  const own = `${publicBase.origin}${publicBase.prefix}/oauth2`;
  const plain: OauthEndpoints = {
    authorize: `${sandbox.browserOrigin ?? publicBase.origin}${publicBase.prefix}/oauth2/authorize`,
    token: `${own}/token`,
    revoke: `${own}/revoke`,
    jwks: `${own}/jwks`,
  };
  return scenariosNamed(publicBase.scenarios).reduce(
    (changed, scenario) => scenario.endpoints?.(changed, sandbox.elsewhereOrigin) ?? changed,
    plain,
  );
}

/** The `.well-known/smart-configuration` document (https://hl7.org/fhir/smart-app-launch/conformance.html). */
export function smartConfiguration(sandbox: Sandbox, publicBase: PublicBase): Record<string, unknown> {
  const endpoints = oauthEndpoints(sandbox, publicBase);
  return {
    issuer: `${publicBase.origin}${publicBase.prefix}`,
    jwks_uri: endpoints.jwks,
    authorization_endpoint: endpoints.authorize,
    token_endpoint: endpoints.token,
    revocation_endpoint: endpoints.revoke,
    grant_types_supported: ['authorization_code', 'refresh_token'],
    response_types_supported: ['code'],
    scopes_supported: ['openid', 'fhirUser', 'launch/patient', 'offline_access', 'patient/*.read', 'patient/*.rs'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
    id_token_signing_alg_values_supported: ['RS256'],
    subject_types_supported: ['public'],
    capabilities: [
      'launch-standalone',
      'client-public',
      'client-confidential-symmetric',
      'client-confidential-asymmetric',
      'sso-openid-connect',
      'context-standalone-patient',
      'permission-offline',
      'permission-patient',
      'permission-v1',
      'permission-v2',
      'authorize-post',
    ],
  };
}
