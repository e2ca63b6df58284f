import { operationOutcome } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

export const outcomeInPage: Scenario = {
  name: 'outcome-in-page',
  area: 'OperationOutcome inside a searchset',
  does: 'Puts an OperationOutcome without id and fullUrl among the entries of each page.',
  page: (page) => ({
    ...page,
    entries: [
      ...page.entries,
      { text: operationOutcome('warning', 'suppressed', 'some results were left out'), mode: 'outcome' },
    ],
  }),
};
