/**
 * openid-client without any adaptation: discovery, code, refresh, introspection and revocation; with a key, a system
 * token.
 */
import * as client from 'openid-client';
import { answerParent, privateKeyOf } from './in-child.mjs';

await answerParent(async ({ issuer, clientId, clientSecret, method, key, code }) => {
  const authentication = {
    client_secret_basic: () => client.ClientSecretBasic(clientSecret),
    client_secret_post: () => client.ClientSecretPost(clientSecret),
    private_key_jwt: async () => client.PrivateKeyJwt(await privateKeyOf(key)),
  };
  const config = await client.discovery(new URL(issuer), clientId, undefined, await authentication[method](), {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  });
  const system = key && (await client.clientCredentialsGrant(config, { scope: 'system/*.rs' }));
  const first = await client.authorizationCodeGrant(config, new URL(`https://app.example.org/back?code=${code}`));
  const second = await client.refreshTokenGrant(config, first.refresh_token);
  const before = await client.tokenIntrospection(config, second.access_token);
  await client.tokenRevocation(config, second.refresh_token);
  const after = await client.tokenIntrospection(config, second.access_token);
  return { system, first, second, before, after };
});
