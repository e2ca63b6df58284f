import type { Scenario } from '../scenario';

export const nineMinutes: Scenario = {
  name: 'nine-minutes',
  area: 'Connecting',
  does: 'Gives access tokens that live nine minutes.',
  tokens: { accessTokenSeconds: 540 },
};

export const fiveSeconds: Scenario = {
  name: 'five-seconds',
  area: 'Connecting',
  does: 'Gives access tokens that live five seconds.',
  tokens: { accessTokenSeconds: 5 },
};
