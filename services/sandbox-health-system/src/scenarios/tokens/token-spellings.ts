import type { Scenario } from '../scenario';

export const tokenHtml: Scenario = {
  name: 'token-html',
  area: 'Connecting',
  does: 'Answers 200 with a page of HTML to every authorization code.',
  tokenRequest: ({ grantType }) =>
    grantType === 'authorization_code'
      ? { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<!doctype html><title>Signed in</title>' }
      : undefined,
};

export const bearerLowercase: Scenario = {
  name: 'bearer-lowercase',
  area: 'Connecting',
  does: 'Names the token type bearer, in lower case.',
  tokenResponse: (response) => ({ ...response, token_type: 'bearer' }),
};

export const expiresInText: Scenario = {
  name: 'expires-in-text',
  area: 'Connecting',
  does: 'Sends expires_in as text.',
  tokenResponse: (response) => ({ ...response, expires_in: String(response['expires_in']) }),
};

export const expiresInAbsent: Scenario = {
  name: 'expires-in-absent',
  area: 'Connecting',
  does: 'Sends no expires_in.',
  tokenResponse: ({ expires_in: _absent, ...response }) => response,
};
