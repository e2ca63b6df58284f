/**
 * A health system whose authorization server is oidc-provider, a certified OpenID provider: strict where the fake
 * health system is lenient. The parent process sends one message with the client registration; this process answers
 * with its URL. Every user is signed in and every scope is granted without a page.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [settings] = await once(process, 'message');
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
/** Paths of the requests to OAuth endpoints, and the error codes of their responses. */
const log = [];

const provider = new Provider(url, {
  clients: [settings.client],
  scopes: ['openid', 'offline_access', 'fhirUser', 'launch/patient', 'patient/*.rs'],
  claims: { openid: ['sub'], fhirUser: ['fhirUser'] },
  pkce: { required: () => true },
  cookies: { keys: ['of-the-test'] },
  jwks: settings.jwks,
  ttl: {
    AccessToken: settings.accessTokenSeconds,
    RefreshToken: 3600,
    Grant: 3600,
    Session: 3600,
    Interaction: 600,
    IdToken: 600,
  },
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: false },
    revocation: { enabled: true },
  },
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  enabledJWA: { clientAuthSigningAlgValues: settings.signingAlgorithms },
  rotateRefreshToken: true,
  // Without this rule the provider follows OpenID Connect: a refresh token only after `prompt=consent`.
  ...(settings.refreshTokens ? { issueRefreshToken: async () => true } : {}),
  findAccount: async (_context, sub) => ({
    accountId: sub,
    claims: async () => ({ sub, fhirUser: `${url}/fhir/r4/Patient/patient-77` }),
  }),
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
});

provider.use(async (context, next) => {
  await next();
  const isOauth = ['/token', '/token/revocation'].includes(context.path);
  if (!isOauth) return;
  log.push({ path: context.path, status: context.status, error: context.body?.error });
  // The launch context of SMART is a member of the token response.
  if (context.body?.access_token) context.body = { ...context.body, patient: 'patient-77' };
});

async function approve(request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'patient' } });
    return;
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

const smartConfiguration = {
  issuer: url,
  authorization_endpoint: `${url}/auth`,
  token_endpoint: `${url}/token`,
  revocation_endpoint: `${url}/token/revocation`,
  token_endpoint_auth_methods_supported: settings.announcedMethods,
  token_endpoint_auth_signing_alg_values_supported: settings.signingAlgorithms,
  scopes_supported: ['openid', 'fhirUser', 'launch/patient', 'offline_access', 'patient/*.rs'],
  code_challenge_methods_supported: ['S256'],
  capabilities: ['launch-standalone', 'client-public', 'client-confidential-symmetric', 'permission-v2'],
};

const callback = provider.callback();
server.on('request', (request, response) => {
  if (request.url === '/fhir/r4/.well-known/smart-configuration')
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(smartConfiguration));
  else if (request.url.startsWith('/interaction/'))
    approve(request, response).catch((error) => {
      response.statusCode = 500;
      response.end(error.message);
    });
  else callback(request, response);
});

process.on('message', ({ command }) => {
  if (command === 'log') process.send({ log });
});
process.on('disconnect', () => process.exit(0));
process.send({ url });
