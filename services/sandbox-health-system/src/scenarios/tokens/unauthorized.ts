import { problemReply } from '../../fhir/operation-outcome';
import type { FhirExchange, Reply, Scenario } from '../scenario';

const requestsPerToken = 20;
const challenge = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };

function expired({ release }: FhirExchange): Reply {
  return problemReply(release, 401, 'login', 'the access token has expired', challenge);
}

export const unauthorizedMidway: Scenario = {
  name: 'unauthorized-midway',
  area: '401 in mid-collection',
  does: `Lets each access token serve ${requestsPerToken} requests, whatever expires_in says.`,
  before: (exchange) =>
    exchange.counters.count(`requests with the token of ${exchange.tokenIssuedAt}`) > requestsPerToken
      ? expired(exchange)
      : undefined,
};

export const unauthorizedForGood: Scenario = {
  name: 'unauthorized-for-good',
  area: '401 in mid-collection',
  does: `Answers 401 after ${requestsPerToken} requests, to refreshed tokens too, though it refreshes them.`,
  before: (exchange) =>
    exchange.counters.count('requests of the grant') > requestsPerToken ? expired(exchange) : undefined,
};
