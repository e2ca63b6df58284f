import type { Reply, Scenario } from '../scenario';

function answer(status: number, error: string, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
    body: JSON.stringify({ error }),
  };
}

export const refreshRefused: Scenario = {
  name: 'refresh-refused',
  area: 'Connecting',
  does: 'Refuses every refresh with invalid_grant, and issues access tokens that expire after five seconds.',
  tokens: { accessTokenSeconds: 5 },
  tokenRequest: ({ grantType }) => (grantType === 'refresh_token' ? answer(400, 'invalid_grant') : undefined),
};

/** A scenario that refuses every refresh in another way than with invalid_grant. */
function refusing(name: string, how: string, reply: Reply): Scenario {
  return {
    name,
    area: 'Connecting',
    does: `Refuses every refresh with ${how}, and issues access tokens that expire after five seconds.`,
    tokens: { accessTokenSeconds: 5 },
    tokenRequest: ({ grantType }) => (grantType === 'refresh_token' ? reply : undefined),
  };
}

export const refresh401Html = refusing('refresh-401-html', '401 and an HTML page', {
  status: 401,
  headers: { 'Content-Type': 'text/html' },
  body: '<!doctype html><html lang="en"><title>Unauthorized</title><p>Unauthorized</p></html>',
});

export const refresh400InvalidRequest = refusing(
  'refresh-400-invalid-request',
  '400 and invalid_request',
  answer(400, 'invalid_request'),
);

export const refresh403 = refusing('refresh-403', '403 and access_denied', answer(403, 'access_denied'));

export const refreshUnavailable: Scenario = {
  name: 'refresh-unavailable',
  area: 'Connecting',
  does: 'Answers two of three refreshes with 503, and issues access tokens that expire after five seconds.',
  tokens: { accessTokenSeconds: 5 },
  tokenRequest: ({ grantType, counters }) =>
    grantType === 'refresh_token' && counters.count('refreshes') % 3 !== 0
      ? answer(503, 'temporarily_unavailable')
      : undefined,
};

export const refreshThrottled: Scenario = {
  name: 'refresh-throttled',
  area: 'Connecting',
  does: 'Allows one refresh of a grant per minute, and answers earlier ones with 429 and Retry-After.',
  tokenRequest: ({ grantType, counters, now }) => {
    if (grantType !== 'refresh_token' || counters.count(`refreshes in minute ${Math.floor(now / 60_000)}`) === 1)
      return undefined;
    return answer(429, 'slow_down', { 'Retry-After': String(60 - (Math.floor(now / 1000) % 60)) });
  },
};

export const token500Once: Scenario = {
  name: 'token-500-once',
  area: 'Connecting',
  does: 'Answers 500 to the first request with an authorization code, and accepts the code after that.',
  tokenRequest: ({ grantType, counters }) =>
    grantType === 'authorization_code' && counters.count('code requests') === 1
      ? answer(500, 'server_error')
      : undefined,
};
