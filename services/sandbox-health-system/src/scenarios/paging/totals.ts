import type { Scenario } from '../scenario';
import { smallPage } from './next-link';

export const totalAbsent: Scenario = {
  name: 'total-absent',
  area: 'total',
  does: 'Tells no total.',
  pageSize: (asked) => Math.min(asked, smallPage),
  page: ({ total: _untold, ...page }) => page,
};

export const totalWrong: Scenario = {
  name: 'total-wrong',
  area: 'total',
  does: 'Tells as total what is on the page.',
  pageSize: (asked) => Math.min(asked, smallPage),
  page: (page) => ({ ...page, total: page.entries.length }),
};
