import {
  answer,
  atMost,
  changeEntries,
  changeNext,
  nextPages,
  noContent,
  nth,
  refuse,
  smallPage,
  withMember,
} from './hooks';
import { scenariosOf, type FhirExchange, type SearchPage } from './scenario';

/** Small pages, with other next links. */
function nextLinks(write: (url: string, exchange: FhirExchange, page: SearchPage) => string) {
  return { pageSize: atMost(smallPage), page: changeNext(write) };
}

/** The port is written twice, also if it is the default one. */
function withPortTwice(url: string): string {
  const { host, hostname, port, protocol } = new URL(url);
  const written = port || (protocol === 'https:' ? '443' : '80');
  return url.replace(host, `${hostname}:${written}:${written}`);
}

const searchUrl = ({ base, type }: FhirExchange, parameters: URLSearchParams): string =>
  `${base}/${type}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;

const withParameter = (parameters: URLSearchParams, name: string, value: number): URLSearchParams => {
  const changed = new URLSearchParams(parameters);
  changed.set(name, String(value));
  return changed;
};

const padding = `"_implicitRules":{"extension":[{"url":"http://sandbox.example/padding","valueString":"${'x'.repeat(100_000)}"}]}`;

export const paging = scenariosOf('Paging', {
  'next-relative': {
    description: 'Gives next links relative to the FHIR base’s folder: r4?_getpages=…',
    ...nextLinks((url, { release }) => `../${release}${new URL(url).search}`),
  },
  'next-path-only': {
    description: 'Gives next links that begin with the path: /fhir/r4?…',
    ...nextLinks((url) => url.slice(new URL(url).origin.length)),
  },
  'next-schemeless': {
    description: 'Gives next links without a scheme: //host/fhir/r4?…',
    ...nextLinks((url) => url.replace(/^https?:/, '')),
  },
  'next-double-port': {
    description: 'Writes the port twice into next links: host:4004:4004.',
    ...nextLinks(withPortTwice),
  },
  'next-internal-host': {
    description: 'Gives next links with the name that the server has behind its proxy.',
    ...nextLinks((url) => url.replace(new URL(url).origin, 'http://fhir-backend.internal:8080')),
  },
  'next-long': {
    description: 'Gives next links of more than 2 KB.',
    ...nextLinks((url) => `${url}&session=${'0123456789abcdef'.repeat(160)}`),
  },
  'next-other-origin': {
    description: 'Gives next links to another origin, to which no token may be sent.',
    ...nextLinks((url, { otherOrigin }) => `${otherOrigin}/pages${new URL(url).search}`),
  },
  'start-index': {
    description: 'Sends next links that are the same search with a startIndex.',
    ...nextLinks((_url, exchange, { entries }) =>
      searchUrl(exchange, withParameter(exchange.parameters, 'startIndex', exchange.offset + entries.length)),
    ),
  },
  'next-self': {
    description: 'Gives a next link that is the link of the page itself, from the second page on.',
    ...nextLinks((url, { interaction, base, cursor }) => (interaction === 'next-page' ? `${base}${cursor}` : url)),
  },
  'next-loop': {
    description: 'Links from the third page back to the first one, without end.',
    pageSize: atMost(smallPage),
    page: (page, exchange) => {
      if (exchange.offset < 2 * smallPage) return page;
      const others = page.links.filter(({ relation }) => relation !== 'next');
      return { ...page, links: [...others, { relation: 'next', url: searchUrl(exchange, exchange.parameters) }] };
    },
  },
  'next-endless': {
    description: 'Sends a new next link on every page without end, also after the last resource.',
    pageSize: atMost(smallPage),
    page: (page, exchange) => {
      const parameters = withParameter(exchange.parameters, 'session', exchange.counters.count('endless'));
      return page.links.some(({ relation }) => relation === 'next')
        ? page
        : { ...page, links: [...page.links, { relation: 'next', url: searchUrl(exchange, parameters) }] };
    },
  },
  'next-empty': {
    description: 'Answers 204 without a body to every page after the first one of Observation.',
    pageSize: atMost(smallPage),
    before: answer(nextPages('Observation'), noContent),
  },
  'next-empty-once': {
    description: 'Answers 204 without a body once, to the second later page of each type; a new search succeeds.',
    pageSize: atMost(smallPage),
    before: answer(nth(2, 'emptied', nextPages()), noContent),
  },
  'next-expired': {
    description: 'Expires the search session of each type once, at its second later page (410); a new search succeeds.',
    pageSize: atMost(smallPage),
    before: refuse(nth(2, 'expired', nextPages()), 410, 'not-found', 'the search session has expired'),
  },
  'total-absent': {
    description: 'Sends no total.',
    pageSize: atMost(smallPage),
    page: ({ total: _absent, ...page }) => page,
  },
  'total-wrong': {
    description: 'Sends the number of entries of the page as total.',
    pageSize: atMost(smallPage),
    page: (page) => ({ ...page, total: page.entries.length }),
  },
  'page-size-10': {
    description: 'Has at most ten entries on a page, whatever _count says.',
    pageSize: atMost(10),
  },
  'count-capped': {
    description: 'Has at most 20 entries on a page, and does not say that _count was larger.',
    pageSize: atMost(20),
  },
  'heavy-pages': {
    description: 'Pads every resource to 100 KB, so that a page of 200 is a Bundle of 20 MB.',
    pageSize: () => 200,
    page: changeEntries((text) => withMember(text, padding)),
  },
});
