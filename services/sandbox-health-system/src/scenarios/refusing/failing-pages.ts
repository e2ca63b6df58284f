import { problemReply } from '../../fhir/operation-outcome';
import { smallPage } from '../paging/next-link';
import type { Scenario } from '../scenario';
import { failsFirstTime } from '../fails-first';

export const pageFails: Scenario = {
  name: 'page-fails',
  area: 'a page fails',
  does: 'Answers the second page of Observation with 500, every time.',
  pageSize: (requested) => Math.min(requested, smallPage),
  before: ({ interaction, type, offset, release }) =>
    interaction === 'next-page' && type === 'Observation' && offset === smallPage
      ? problemReply(release, 500, 'exception', 'the database is on fire')
      : undefined,
};

export const pageFailsOnce: Scenario = {
  name: 'page-fails-once',
  area: 'a page fails',
  does: 'Answers every third request with 500 the first time that it is made.',
  pageSize: (requested) => Math.min(requested, smallPage),
  before: (exchange) =>
    failsFirstTime(exchange, 3) ? problemReply(exchange.release, 500, 'exception', 'please try again') : undefined,
};

export const pageCutShort: Scenario = {
  name: 'page-cut-short',
  area: 'a page fails',
  does: 'Sends half of the Bundle of every third page the first time that it is requested.',
  pageSize: (requested) => Math.min(requested, smallPage),
  reply: (reply, exchange) =>
    failsFirstTime(exchange, 3) ? { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) } : reply,
};

export const hangsUp: Scenario = {
  name: 'hangs-up',
  area: 'crash, restart',
  does: 'Closes the connection without a response at every third request the first time that it is made.',
  pageSize: (requested) => Math.min(requested, smallPage),
  before: (exchange) => (failsFirstTime(exchange, 3) ? { status: 0, headers: {}, body: '' } : undefined),
};

export const slow: Scenario = {
  name: 'slow',
  area: 'crash, restart',
  does: 'Delays each FHIR response by 250 ms, and has fifteen entries on a page, so that tests can interrupt a collection.',
  pageSize: (requested) => Math.min(requested, smallPage),
  delay: 250,
};
