import type { OauthEndpoints, Scenario } from '../scenario';

export const oauthElsewhere: Scenario = {
  name: 'oauth-elsewhere',
  area: 'Connecting',
  does: 'Has its OAuth endpoints on another host than its FHIR API.',
  endpoints: (endpoints, elsewhereOrigin) =>
    Object.fromEntries(
      Object.entries(endpoints).map(([name, url]) => [name, `${elsewhereOrigin}${new URL(url as string).pathname}`]),
    ) as unknown as OauthEndpoints,
};
