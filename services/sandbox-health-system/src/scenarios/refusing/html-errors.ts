import { smallPage } from '../paging/next-link';
import type { Scenario } from '../scenario';
import { failsFirstTime } from '../fails-first';

export const htmlErrors: Scenario = {
  name: 'html-errors',
  area: 'Accept header',
  does: 'Answers 502 with a page of HTML, as a proxy does, to every third request the first time that it is made.',
  pageSize: (requested) => Math.min(requested, smallPage),
  before: (exchange) =>
    failsFirstTime(exchange, 3)
      ? {
          status: 502,
          headers: { 'Content-Type': 'text/html' },
          body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
        }
      : undefined,
};
