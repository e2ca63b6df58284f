/** simple-oauth2 without any adaptation: code, refresh, and each of its ways to revoke. */
import { AuthorizationCode } from 'simple-oauth2';
import { answerParent } from './in-child.mjs';

await answerParent(async ({ issuer, clientId, clientSecret, authorizationMethod, bodyFormat, code, otherCode }) => {
  const client = new AuthorizationCode({
    client: { id: clientId, secret: clientSecret },
    auth: { tokenHost: issuer, tokenPath: '/oauth2/token', revokePath: '/oauth2/revoke' },
    options: { authorizationMethod, bodyFormat },
  });
  const redirect_uri = 'https://app.example.org/back';
  const first = await client.getToken({ code, redirect_uri });
  const second = await first.refresh();
  await second.revokeAll();

  const other = await client.getToken({ code: otherCode, redirect_uri });
  await other.revoke('access_token');
  const refreshed = await other.refresh();
  await refreshed.revoke('refresh_token');
  return { first: first.token, second: second.token, refreshed: refreshed.token };
});
