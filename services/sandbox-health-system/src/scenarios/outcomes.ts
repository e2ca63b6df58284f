import { operationOutcome } from '../fhir/operation-outcome';
import { addEntry, answer, noContent, outcome, refuse, searches } from './hooks';
import { scenariosOf, type FhirExchange, type Reply } from './scenario';

const searchesAllergies = searches('AllergyIntolerance');

/** Replaces the replies that are a searchset without resources. */
function replaceEmpty(replace: (reply: Reply) => Reply) {
  return (reply: Reply, { interaction }: FhirExchange): Reply => {
    if (interaction !== 'search' || typeof reply.body !== 'string') return reply;
    const { resourceType, entry = [] } = JSON.parse(reply.body) as { resourceType: string; entry?: unknown[] };
    return resourceType === 'Bundle' && entry.length === 0 ? replace(reply) : reply;
  };
}

export const outcomes = scenariosOf('OperationOutcome with a successful status', {
  'outcome-in-page': {
    description: 'Puts an OperationOutcome without id and fullUrl among the entries of each page.',
    page: addEntry(() => true, 'outcome', operationOutcome('warning', 'suppressed', 'some results were left out')),
  },
  'warning-in-page': {
    description:
      'Puts an OperationOutcome with a warning, which does not concern the results, among the entries of each page.',
    page: addEntry(() => true, 'outcome', operationOutcome('warning', 'processing', 'a parameter was ignored')),
  },
  'error-in-page': {
    description:
      'Answers 200 to searches of AllergyIntolerance with a Bundle whose only entry is an OperationOutcome with an error.',
    page: (page, exchange) =>
      searchesAllergies(exchange)
        ? {
            links: page.links.filter(({ relation }) => relation === 'self'),
            entries: [{ text: operationOutcome('error', 'invalid', 'the department is missing'), mode: 'outcome' }],
          }
        : page,
  },
  'error-instead-of-page': {
    description: 'Answers 200 to searches of AllergyIntolerance with an OperationOutcome with an error.',
    before: refuse(searchesAllergies, 200, 'exception', 'the search failed'),
  },
  'withheld-instead-of-page': {
    description:
      'Answers 200 to searches of AllergyIntolerance with an OperationOutcome which warns that the search is too costly.',
    before: answer(searchesAllergies, outcome(200, 'warning', 'too-costly', 'the search was not made')),
  },
  'error-in-every-page': {
    description: 'Answers 200 with an OperationOutcome with an error to every search, and gives the Patient.',
    before: refuse(searches(), 200, 'invalid', 'a parameter is missing'),
  },
  'nothing-found-outcome': {
    description:
      'Answers searches that find nothing with 200 and an OperationOutcome of the severity information, without a Bundle.',
    reply: replaceEmpty((reply) => ({
      ...reply,
      body: operationOutcome('information', 'not-found', 'there are no results'),
    })),
  },
  'nothing-found-204': {
    description: 'Answers searches that find nothing with 204 and without a body.',
    reply: replaceEmpty(() => noContent),
  },
  'nothing-found-empty': {
    description: 'Answers searches that find nothing with 200 and an empty body.',
    reply: replaceEmpty((reply) => ({ ...reply, body: '' })),
  },
});
