import { fhirContentType, operationOutcome } from '../../fhir/operation-outcome';
import type { FhirExchange, Reply, Scenario } from '../scenario';

const area = 'OperationOutcome with a successful status';

/** Whether the reply is a searchset without resources. */
function isEmptySearchset({ body }: Reply, { interaction }: FhirExchange): boolean {
  if (interaction !== 'search' || typeof body !== 'string') return false;
  const { resourceType, entry } = JSON.parse(body) as { resourceType: string; entry?: unknown[] };
  return resourceType === 'Bundle' && (entry ?? []).length === 0;
}

function isAllergySearch({ interaction, type }: FhirExchange): boolean {
  return interaction === 'search' && type === 'AllergyIntolerance';
}

export const errorInPage: Scenario = {
  name: 'error-in-page',
  area,
  does: 'Answers 200 to searches of AllergyIntolerance with a Bundle whose only entry is an OperationOutcome with an error.',
  page: (page, exchange) =>
    isAllergySearch(exchange)
      ? {
          links: page.links.filter(({ relation }) => relation === 'self'),
          entries: [{ text: operationOutcome('error', 'invalid', 'the department is missing'), mode: 'outcome' }],
        }
      : page,
};

export const errorInsteadOfPage: Scenario = {
  name: 'error-instead-of-page',
  area,
  does: 'Answers 200 to searches of AllergyIntolerance with an OperationOutcome with an error.',
  before: (exchange) =>
    isAllergySearch(exchange)
      ? {
          status: 200,
          headers: { 'Content-Type': fhirContentType(exchange.release) },
          body: operationOutcome('error', 'exception', 'the search failed'),
        }
      : undefined,
};

export const withheldInsteadOfPage: Scenario = {
  name: 'withheld-instead-of-page',
  area,
  does: 'Answers 200 to searches of AllergyIntolerance with an OperationOutcome which warns that the search is too costly.',
  before: (exchange) =>
    isAllergySearch(exchange)
      ? {
          status: 200,
          headers: { 'Content-Type': fhirContentType(exchange.release) },
          body: operationOutcome('warning', 'too-costly', 'the search was not made'),
        }
      : undefined,
};

export const errorInEveryPage: Scenario = {
  name: 'error-in-every-page',
  area,
  does: 'Answers 200 with an OperationOutcome with an error to every search, and gives the Patient.',
  before: ({ interaction, release }) =>
    interaction === 'search'
      ? {
          status: 200,
          headers: { 'Content-Type': fhirContentType(release) },
          body: operationOutcome('error', 'invalid', 'a parameter is missing'),
        }
      : undefined,
};

export const nothingFoundOutcome: Scenario = {
  name: 'nothing-found-outcome',
  area,
  does: 'Answers searches that find nothing with 200 and an OperationOutcome of the severity information, without a Bundle.',
  reply: (reply, exchange) =>
    isEmptySearchset(reply, exchange)
      ? { ...reply, body: operationOutcome('information', 'not-found', 'there are no results') }
      : reply,
};

export const nothingFoundNoContent: Scenario = {
  name: 'nothing-found-204',
  area,
  does: 'Answers searches that find nothing with 204 and without a body.',
  reply: (reply, exchange) => (isEmptySearchset(reply, exchange) ? { status: 204, headers: {}, body: '' } : reply),
};

export const nothingFoundEmpty: Scenario = {
  name: 'nothing-found-empty',
  area,
  does: 'Answers searches that find nothing with 200 and an empty body.',
  reply: (reply, exchange) => (isEmptySearchset(reply, exchange) ? { ...reply, body: '' } : reply),
};

export const warningInPage: Scenario = {
  name: 'warning-in-page',
  area: 'OperationOutcome inside a searchset',
  does: 'Puts an OperationOutcome with a warning, which does not concern the results, among the entries of each page.',
  page: (page) => ({
    ...page,
    entries: [
      ...page.entries,
      { text: operationOutcome('warning', 'processing', 'a parameter was ignored'), mode: 'outcome' },
    ],
  }),
};
