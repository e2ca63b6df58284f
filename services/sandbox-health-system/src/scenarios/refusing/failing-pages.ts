import { problemReply } from '../../fhir/operation-outcome';
import { smallPage } from '../paging/next-link';
import type { Scenario } from '../scenario';
import { failsFirstTime } from '../fails-first';

export const pageFails: Scenario = {
  name: 'page-fails',
  area: 'a page fails',
  does: 'Answers 500 to the second page of Observation, each time.',
  pageSize: (asked) => Math.min(asked, smallPage),
  before: ({ interaction, type, offset, release }) =>
    interaction === 'next-page' && type === 'Observation' && offset === smallPage
      ? problemReply(release, 500, 'exception', 'the database is on fire')
      : undefined,
};

export const pageFailsOnce: Scenario = {
  name: 'page-fails-once',
  area: 'a page fails',
  does: 'Answers 500 to every third request the first time that it is made.',
  pageSize: (asked) => Math.min(asked, smallPage),
  before: (exchange) =>
    failsFirstTime(exchange, 3) ? problemReply(exchange.release, 500, 'exception', 'please try again') : undefined,
};

export const pageCutShort: Scenario = {
  name: 'page-cut-short',
  area: 'a page fails',
  does: 'Sends half a Bundle for every third page the first time that it is asked for.',
  pageSize: (asked) => Math.min(asked, smallPage),
  reply: (reply, exchange) =>
    failsFirstTime(exchange, 3) ? { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) } : reply,
};

export const hangsUp: Scenario = {
  name: 'hangs-up',
  area: 'crash, restart',
  does: 'Ends the connection without an answer at every third request the first time that it is made.',
  pageSize: (asked) => Math.min(asked, smallPage),
  before: (exchange) => (failsFirstTime(exchange, 3) ? { status: 0, headers: {}, body: '' } : undefined),
};

export const slow: Scenario = {
  name: 'slow',
  area: 'crash, restart',
  does: 'Answers each FHIR request a quarter of a second late, with fifteen entries a page: there is time to kill something.',
  pageSize: (asked) => Math.min(asked, smallPage),
  delay: 250,
};
