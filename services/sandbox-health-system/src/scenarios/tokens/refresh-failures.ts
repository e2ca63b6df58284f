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
