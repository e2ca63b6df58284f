import { answerGrant, html, oauthError, refuse } from './hooks';
import { scenariosOf, type Hook } from './scenario';

const fiveSeconds = { accessTokenSeconds: 5 };

const requestsPerToken = 20;

const expired = (condition: Parameters<typeof refuse>[0]): Hook<'before'> =>
  refuse(condition, 401, 'login', 'the access token has expired', {
    'WWW-Authenticate': 'Bearer error="invalid_token"',
  });

export const tokens = scenariosOf('Tokens', {
  'code-expired': {
    description: 'Responds to every authorization code with invalid_grant.',
    tokenRequest: answerGrant('authorization_code', oauthError(400, 'invalid_grant')),
  },
  'token-unavailable': {
    description: 'Responds to every authorization code with 500.',
    tokenRequest: answerGrant('authorization_code', oauthError(500, 'server_error')),
  },
  'token-html': {
    description: 'Answers 200 with a page of HTML to every authorization code.',
    tokenRequest: answerGrant('authorization_code', html(200, '<!doctype html><title>Signed in</title>')),
  },
  'token-500-once': {
    description: 'Answers 500 to the first request with an authorization code, and accepts the code after that.',
    tokenRequest: ({ grantType, counters }) =>
      grantType === 'authorization_code' && counters.count('code requests') === 1
        ? oauthError(500, 'server_error')
        : undefined,
  },
  'bearer-lowercase': {
    description: 'Names the token type bearer, in lower case.',
    tokenResponse: (response) => ({ ...response, token_type: 'bearer' }),
  },
  'expires-in-text': {
    description: 'Sends expires_in as text.',
    tokenResponse: (response) => ({ ...response, expires_in: String(response['expires_in']) }),
  },
  'expires-in-absent': {
    description: 'Sends no expires_in.',
    tokenResponse: ({ expires_in: _absent, ...response }) => response,
  },
  'access-token-9-minutes': {
    description: 'Issues access tokens that expire after nine minutes.',
    tokens: { accessTokenSeconds: 540 },
  },
  'access-token-5-seconds': {
    description: 'Issues access tokens that expire after five seconds.',
    tokens: fiveSeconds,
  },
  'refresh-absent': {
    description: 'Returns no refresh token when one is used: the old one stays valid.',
    tokens: { refresh: 'absent' },
  },
  'refresh-same': {
    description: 'Returns the same refresh token again.',
    tokens: { refresh: 'same' },
  },
  'refresh-one-use': {
    description: 'Issues refresh tokens for one use; a second use revokes the grant.',
    tokens: { refresh: 'one-use' },
  },
  'refresh-never': {
    description: 'Issues no refresh token, and access tokens that expire after thirty seconds.',
    tokens: { refresh: 'never', accessTokenSeconds: 30 },
  },
  'refresh-refused': {
    description: 'Refuses every refresh with invalid_grant, and issues access tokens that expire after five seconds.',
    tokens: fiveSeconds,
    tokenRequest: answerGrant('refresh_token', oauthError(400, 'invalid_grant')),
  },
  'refresh-401-html': {
    description:
      'Refuses every refresh with 401 and an HTML page, and issues access tokens that expire after five seconds.',
    tokens: fiveSeconds,
    tokenRequest: answerGrant(
      'refresh_token',
      html(401, '<!doctype html><html lang="en"><title>Unauthorized</title><p>Unauthorized</p></html>'),
    ),
  },
  'refresh-400-invalid-request': {
    description:
      'Refuses every refresh with 400 and invalid_request, and issues access tokens that expire after five seconds.',
    tokens: fiveSeconds,
    tokenRequest: answerGrant('refresh_token', oauthError(400, 'invalid_request')),
  },
  'refresh-403': {
    description:
      'Refuses every refresh with 403 and access_denied, and issues access tokens that expire after five seconds.',
    tokens: fiveSeconds,
    tokenRequest: answerGrant('refresh_token', oauthError(403, 'access_denied')),
  },
  'refresh-unavailable': {
    description: 'Answers two of three refreshes with 503, and issues access tokens that expire after five seconds.',
    tokens: fiveSeconds,
    tokenRequest: ({ grantType, counters }) =>
      grantType === 'refresh_token' && counters.count('refreshes') % 3 !== 0
        ? oauthError(503, 'temporarily_unavailable')
        : undefined,
  },
  'refresh-throttled': {
    description: 'Allows one refresh of a grant per minute, and answers earlier ones with 429 and Retry-After.',
    tokenRequest: ({ grantType, counters, now }) => {
      if (grantType !== 'refresh_token' || counters.count(`refreshes in minute ${Math.floor(now / 60_000)}`) === 1)
        return undefined;
      return oauthError(429, 'slow_down', { 'Retry-After': String(60 - (Math.floor(now / 1000) % 60)) });
    },
  },
  'unauthorized-midway': {
    description: `Lets each access token serve ${requestsPerToken} requests, whatever expires_in says.`,
    before: expired(
      ({ counters, tokenIssuedAt }) => counters.count(`requests with the token of ${tokenIssuedAt}`) > requestsPerToken,
    ),
  },
  'unauthorized-permanently': {
    description: `Answers 401 after ${requestsPerToken} requests, to refreshed tokens too, though it refreshes them.`,
    before: expired(({ counters }) => counters.count('requests of the grant') > requestsPerToken),
  },
});
