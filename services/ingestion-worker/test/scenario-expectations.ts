import type { Expectation } from './scenarios/expectation';
import { pagingExpectations } from './scenarios/paging';
import { refusingExpectations } from './scenarios/refusing';
import { resourcesExpectations } from './scenarios/resources';
import { searchingExpectations } from './scenarios/searching';
import { tokensExpectations } from './scenarios/tokens';

/** Every scenario of the sandbox that concerns collecting. */
export const expectations: Expectation[] = [
  ...pagingExpectations,
  ...searchingExpectations,
  ...refusingExpectations,
  ...tokensExpectations,
  ...resourcesExpectations,
];
