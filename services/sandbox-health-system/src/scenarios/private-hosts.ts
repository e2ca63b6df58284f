import { answer, atMost, changeNext, redirect, searches, smallPage } from './hooks';
import { scenariosOf } from './scenario';

/** The metadata service of a cloud: a link-local address, which no client may request. */
export const privateHost = 'http://169.254.169.254';

export const privateHosts = scenariosOf('Private hosts and other origins', {
  'redirect-private-host': {
    description: 'Redirects searches of Condition to an address of a private network.',
    before: answer(searches('Condition'), redirect(`${privateHost}/latest/meta-data/`)),
  },
  'redirect-other-origin': {
    description: 'Redirects searches of Condition to another origin, to which no token may be sent.',
    before: answer(searches('Condition'), ({ otherOrigin }) => redirect(`${otherOrigin}/redirected`)),
  },
  'token-endpoint-private-host': {
    description: 'Announces a token endpoint in a private network.',
    endpoints: (endpoints) => ({ ...endpoints, token: `${privateHost}/oauth2/token` }),
  },
  'next-private-host': {
    description: 'Gives next links into a private network.',
    pageSize: atMost(smallPage),
    page: changeNext((url) => `${privateHost}/fhir${new URL(url).search}`),
  },
});
