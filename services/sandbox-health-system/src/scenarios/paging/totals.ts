import type { Scenario } from '../scenario';
import { smallPage } from './next-link';

export const totalAbsent: Scenario = {
  name: 'total-absent',
  area: 'total',
  does: 'Sends no total.',
  pageSize: (requested) => Math.min(requested, smallPage),
  page: ({ total: _untold, ...page }) => page,
};

export const totalWrong: Scenario = {
  name: 'total-wrong',
  area: 'total',
  does: 'Sends the number of entries of the page as total.',
  pageSize: (requested) => Math.min(requested, smallPage),
  page: (page) => ({ ...page, total: page.entries.length }),
};
