import type { Scenario } from '../scenario';
import { withNextLink, smallPage } from './next-link';

export const nextSelf = withNextLink(
  'next-self',
  'Gives a next link that is the link of the page itself, from the second page on.',
  (url, exchange) => (exchange.interaction === 'next-page' ? `${exchange.base}${exchange.cursor}` : url),
);

export const nextLoop: Scenario = {
  name: 'next-loop',
  area: 'next link',
  does: 'Links from the third page back to the first one, without end.',
  pageSize: (requested) => Math.min(requested, smallPage),
  page: (page, exchange) => {
    const { base, type, parameters, offset } = exchange;
    if (offset < 2 * smallPage) return page;
    const first = `${base}/${type}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
    return {
      ...page,
      links: [...page.links.filter(({ relation }) => relation !== 'next'), { relation: 'next', url: first }],
    };
  },
};

export const nextEndless: Scenario = {
  name: 'next-endless',
  area: 'next link',
  does: 'Sends a new next link on every page without end, also after the last resource.',
  pageSize: (requested) => Math.min(requested, smallPage),
  page: (page, exchange) => {
    const { base, type, parameters, counters } = exchange;
    const made = `${base}/${type}?${new URLSearchParams([...parameters, ['session', String(counters.count('endless'))]]).toString()}`;
    const more = page.links.some(({ relation }) => relation === 'next');
    return more ? page : { ...page, links: [...page.links, { relation: 'next', url: made }] };
  },
};
