import type { Scenario } from '../scenario';

export const refreshAbsent: Scenario = {
  name: 'refresh-absent',
  area: 'Connecting',
  does: 'Gives no refresh token when one is used: the old one goes on.',
  tokens: { refresh: 'absent' },
};

export const refreshSame: Scenario = {
  name: 'refresh-same',
  area: 'Connecting',
  does: 'Gives the same refresh token again.',
  tokens: { refresh: 'same' },
};

export const refreshOneUse: Scenario = {
  name: 'refresh-one-use',
  area: 'Connecting',
  does: 'Gives refresh tokens for one use; a second use ends the whole grant.',
  tokens: { refresh: 'one-use' },
};

export const refreshNever: Scenario = {
  name: 'refresh-never',
  area: 'Connecting',
  does: 'Gives no refresh token at all, and access tokens of thirty seconds.',
  tokens: { refresh: 'never', accessTokenSeconds: 30 },
};
