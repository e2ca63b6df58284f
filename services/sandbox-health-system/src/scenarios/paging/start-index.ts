import type { Scenario } from '../scenario';
import { smallPage, withNext } from './next-link';

export const startIndex: Scenario = {
  name: 'start-index',
  area: 'required parameters',
  does: 'Sends next links that are the same search with a startIndex.',
  pageSize: (requested) => Math.min(requested, smallPage),
  page: (page, { base, type, parameters, offset }) => {
    const next = new URLSearchParams(parameters);
    next.set('startIndex', String(offset + page.entries.length));
    return withNext(page, () => `${base}/${type}?${next.toString()}`);
  },
};
