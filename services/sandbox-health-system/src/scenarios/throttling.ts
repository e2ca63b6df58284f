import { everyThirdFirstTime, refuse } from './hooks';
import { scenariosOf, type Behaviour, type Hook } from './scenario';

/** Throttles every third distinct request the first time. */
function throttling(status: number, how: string, headers: Record<string, string> = {}): Behaviour {
  return {
    description: `Answers ${status} ${how} to every third request the first time that it is made.`,
    before: refuse(everyThirdFirstTime, status, 'throttled', 'too many requests', headers),
  };
}

const inTwoSeconds: Hook<'before'> = (exchange) =>
  refuse(everyThirdFirstTime, 429, 'throttled', 'too many requests', {
    'Retry-After': new Date(exchange.now + 2_000).toUTCString(),
  })(exchange);

export const throttlingScenarios = scenariosOf('Throttling', {
  'retry-after-seconds': throttling(429, 'with Retry-After: 1', { 'Retry-After': '1' }),
  'retry-after-date': { ...throttling(429, 'with Retry-After as a date'), before: inTwoSeconds },
  'retry-after-other-header': throttling(429, 'with X-Retry-After: 1', { 'X-Retry-After': '1' }),
  'retry-after-absent': throttling(429, 'without Retry-After'),
  'retry-after-long': throttling(429, 'with a Retry-After of a day', { 'Retry-After': '86400' }),
  'retry-after-invalid': throttling(429, 'with Retry-After: soon', { 'Retry-After': 'soon' }),
  unavailable: throttling(503, 'with Retry-After: 1', { 'Retry-After': '1' }),
  'concurrency-limit-2': {
    description:
      'Answers 429 when one patient’s clients have more than two requests open; each takes a tenth of a second.',
    delay: 100,
    before: refuse(({ open }) => open > 2, 429, 'throttled', 'two requests at a time, please'),
  },
});
