import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

/** A scenario that refuses searches of one type. */
function refusing(name: string, type: string, status: number, code: string): Scenario {
  return {
    name,
    area: 'one type refused',
    does: `Answers ${status} to searches of ${type}, which it announces.`,
    before: (exchange) =>
      exchange.type === type && exchange.interaction === 'search'
        ? problemReply(exchange.release, status, code, `${type} is not available`)
        : undefined,
  };
}

export const searchesUnauthorized: Scenario = {
  name: 'searches-unauthorized',
  area: 'one type refused',
  does: 'Answers 401 to searches of every type but Observation, though the token is valid.',
  before: ({ interaction, type, release }) =>
    interaction === 'search' && type !== 'Observation'
      ? problemReply(release, 401, 'login', `${type} is not available`)
      : undefined,
};

export const typeForbidden = refusing('type-forbidden', 'Condition', 403, 'forbidden');
export const typeMissing = refusing('type-missing', 'Procedure', 404, 'not-supported');
export const typeUnimplemented = refusing('type-unimplemented', 'Immunization', 501, 'not-supported');
