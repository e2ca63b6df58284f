import type { Scenario } from '../scenario';
import { withNextLink } from '../paging/next-link';

const inner = 'http://169.254.169.254';

export const redirectInward: Scenario = {
  name: 'redirect-inward',
  area: 'addresses',
  does: 'Redirects searches of Condition to an address of the inner network.',
  before: ({ type, interaction }) =>
    type === 'Condition' && interaction === 'search'
      ? { status: 302, headers: { Location: `${inner}/latest/meta-data/` }, body: '' }
      : undefined,
};

export const redirectElsewhere: Scenario = {
  name: 'redirect-elsewhere',
  area: 'addresses',
  does: 'Redirects searches of Condition to another origin, to which no token may be sent.',
  before: ({ type, interaction, elsewhere, grant }) =>
    type === 'Condition' && interaction === 'search'
      ? {
          status: 302,
          headers: { Location: `${elsewhere}/${encodeURIComponent(grant.username)}/redirected` },
          body: '',
        }
      : undefined,
};

export const endpointsInward: Scenario = {
  name: 'endpoints-inward',
  area: 'addresses',
  does: 'Announces a token endpoint in the inner network.',
  endpoints: (endpoints) => ({ ...endpoints, token: `${inner}/oauth2/token` }),
};

export const nextInward = {
  ...withNextLink(
    'next-inward',
    'Gives next links into the inner network.',
    (url) => `${inner}/fhir${new URL(url).search}`,
  ),
  area: 'addresses',
};
