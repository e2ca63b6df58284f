import { mediaTypes } from '../releases';
import {
  answer,
  atMost,
  closedConnection,
  everyThirdFirstTime,
  html,
  nextPages,
  plainText,
  reads,
  refuse,
  searches,
  smallPage,
} from './hooks';
import { scenariosOf } from './scenario';

const timeoutMs = 70_000;

/** Requests that do not accept the exact media type of the release are refused. */
export const requiresExactAccept = answer(
  ({ accept, release, type }) =>
    type !== 'Binary' && !accept.split(',').some((part) => part.split(';')[0]!.trim() === mediaTypes[release]),
  ({ release }) => plainText(406, `Not acceptable. Try ${mediaTypes[release]}.`),
);

export const refusing = scenariosOf('Refused requests', {
  'type-forbidden': {
    description: 'Answers 403 to searches of Condition, which it announces.',
    before: refuse(searches('Condition'), 403, 'forbidden', 'this type is not available'),
  },
  'type-missing': {
    description: 'Answers 404 to searches of Procedure, which it announces.',
    before: refuse(searches('Procedure'), 404, 'not-supported', 'this type is not available'),
  },
  'type-unimplemented': {
    description: 'Answers 501 to searches of Immunization, which it announces.',
    before: refuse(searches('Immunization'), 501, 'not-supported', 'this type is not available'),
  },
  'type-broken': {
    description: 'Answers 500 to searches of Condition, every time.',
    before: refuse(searches('Condition'), 500, 'exception', 'a resource cannot be rendered'),
  },
  'type-html': {
    description: 'Answers 200 with a page of HTML to searches of Condition, every time.',
    before: answer(searches('Condition'), html(200, '<html><body>Please sign in</body></html>')),
  },
  'type-timeout': {
    description: 'Sends nothing for 70 s after a search of Condition, and closes the connection then.',
    delay: (exchange) => (searches('Condition')(exchange) ? timeoutMs : 0),
    before: answer(searches('Condition'), closedConnection),
  },
  'searches-unauthorized': {
    description: 'Answers 401 to searches of every type but Observation, though the token is valid.',
    before: refuse(
      (exchange) => searches()(exchange) && exchange.type !== 'Observation',
      401,
      'login',
      'this type is not available',
    ),
  },
  'searches-forbidden': {
    description: 'Answers 403 to every search, and gives the Patient.',
    before: refuse(searches(), 403, 'forbidden', 'searches are not available'),
  },
  'searches-invalid': {
    description: 'Answers 400 to every search, whatever its parameters, and gives the Patient.',
    before: refuse(searches(), 400, 'invalid', 'searches are not available'),
  },
  'all-forbidden': {
    description: 'Answers 403 to every request, that of the Patient included.',
    before: refuse(() => true, 403, 'forbidden', 'this is not available'),
  },
  'patient-missing': {
    description: 'Answers 404 to reads of the Patient, and answers searches.',
    before: refuse(reads('Patient'), 404, 'not-found', 'the patient is not available'),
  },
  'patient-forbidden': {
    description: 'Answers 403 to reads of the Patient, and answers searches.',
    before: refuse(reads('Patient'), 403, 'forbidden', 'the patient is not available'),
  },
  'patient-html': {
    description: 'Answers 400 with a page of HTML to reads of the Patient, and answers searches.',
    before: answer(reads('Patient'), html(400, '<html><body>Bad Request</body></html>')),
  },
  'patient-broken': {
    description: 'Answers 500 to reads of the Patient, every time, and answers searches.',
    before: refuse(reads('Patient'), 500, 'exception', 'the patient cannot be rendered'),
  },
  'page-fails': {
    description: 'Answers the second page of Observation with 500, every time.',
    pageSize: atMost(smallPage),
    before: refuse(
      (exchange) => nextPages('Observation')(exchange) && exchange.offset === smallPage,
      500,
      'exception',
      'the page cannot be rendered',
    ),
  },
  'page-fails-once': {
    description: 'Answers every third request with 500 the first time that it is made.',
    pageSize: atMost(smallPage),
    before: refuse(everyThirdFirstTime, 500, 'exception', 'please try again'),
  },
  'page-cut-short': {
    description: 'Sends half of the Bundle of every third page the first time that it is requested.',
    pageSize: atMost(smallPage),
    reply: (reply, exchange) =>
      everyThirdFirstTime(exchange)
        ? { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) }
        : reply,
  },
  'connection-closed': {
    description: 'Closes the connection without a response at every third request the first time that it is made.',
    pageSize: atMost(smallPage),
    before: answer(everyThirdFirstTime, closedConnection),
  },
  'html-errors': {
    description:
      'Answers 502 with a page of HTML, as a proxy does, to every third request the first time that it is made.',
    pageSize: atMost(smallPage),
    before: answer(everyThirdFirstTime, html(502, '<html><body><h1>502 Bad Gateway</h1></body></html>')),
  },
  slow: {
    description:
      'Delays each FHIR response by 250 ms, and has fifteen entries on a page, so that tests can interrupt a collection.',
    pageSize: atMost(smallPage),
    delay: 250,
  },
  'accept-strict': {
    description: 'Answers 406, in plain text, to requests that do not accept the exact media type of the release.',
    before: requiresExactAccept,
  },
  'binary-accept-strict': {
    description:
      'Answers 406 to reads of Binary that accept a list of media types, and the content to one that accepts any.',
    before: answer(
      (exchange) => reads('Binary')(exchange) && exchange.accept.includes(','),
      plainText(406, 'Not acceptable.'),
    ),
  },
});
