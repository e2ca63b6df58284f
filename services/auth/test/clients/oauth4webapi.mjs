/**
 * oauth4webapi without any adaptation: discovery, code, refresh, introspection and revocation; with a key, a system
 * token. With a resource instead of an issuer, the metadata of the resource (RFC 9728) names the issuer, and the access
 * token is used there.
 */
import * as oauth from 'oauth4webapi';
import { answerParent, privateKeyOf } from './in-child.mjs';

await answerParent(async ({ issuer, resource, clientId, clientSecret, method, key, code }) => {
  const authentication = {
    client_secret_basic: () => oauth.ClientSecretBasic(clientSecret),
    client_secret_post: () => oauth.ClientSecretPost(clientSecret),
    private_key_jwt: async () => oauth.PrivateKeyJwt(await privateKeyOf(key)),
  };
  const options = { [oauth.allowInsecureRequests]: true };
  const protectedResource =
    resource &&
    (await oauth.processResourceDiscoveryResponse(
      new URL(resource),
      await oauth.resourceDiscoveryRequest(new URL(resource), options),
    ));
  const url = new URL(issuer ?? protectedResource.authorization_servers[0]);
  const as = await oauth.processDiscoveryResponse(
    url,
    await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...options }),
  );
  const us = { client_id: clientId };
  const auth = await authentication[method]();
  const introspect = async (token) =>
    oauth.processIntrospectionResponse(as, us, await oauth.introspectionRequest(as, us, auth, token, options));

  const system =
    key &&
    (await oauth.processClientCredentialsResponse(
      as,
      us,
      await oauth.clientCredentialsGrantRequest(as, us, auth, { scope: 'system/*.rs' }, options),
    ));
  const callback = oauth.validateAuthResponse(as, us, new URLSearchParams({ code }));
  const first = await oauth.processAuthorizationCodeResponse(
    as,
    us,
    await oauth.authorizationCodeGrantRequest(
      as,
      us,
      auth,
      callback,
      'https://app.example.org/back',
      oauth.nopkce,
      options,
    ),
  );
  const second = await oauth.processRefreshTokenResponse(
    as,
    us,
    await oauth.refreshTokenGrantRequest(as, us, auth, first.refresh_token, options),
  );
  const used =
    resource &&
    (await oauth.protectedResourceRequest(
      second.access_token,
      'GET',
      new URL(`${resource}/Patient`),
      undefined,
      undefined,
      options,
    ));
  const before = await introspect(second.access_token);
  await oauth.processRevocationResponse(await oauth.revocationRequest(as, us, auth, second.refresh_token, options));
  const after = await introspect(second.access_token);
  return { protectedResource, system, first, second, used: used && { status: used.status }, before, after };
});
