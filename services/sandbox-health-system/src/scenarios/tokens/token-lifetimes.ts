import type { Scenario } from '../scenario';

export const nineMinutes: Scenario = {
  name: 'nine-minutes',
  area: 'Connecting',
  does: 'Issues access tokens that expire after nine minutes.',
  tokens: { accessTokenSeconds: 540 },
};

export const fiveSeconds: Scenario = {
  name: 'five-seconds',
  area: 'Connecting',
  does: 'Issues access tokens that expire after five seconds.',
  tokens: { accessTokenSeconds: 5 },
};
