import type { Scenario } from '../scenario';

export const refreshAbsent: Scenario = {
  name: 'refresh-absent',
  area: 'Connecting',
  does: 'Returns no refresh token when one is used: the old one stays valid.',
  tokens: { refresh: 'absent' },
};

export const refreshSame: Scenario = {
  name: 'refresh-same',
  area: 'Connecting',
  does: 'Returns the same refresh token again.',
  tokens: { refresh: 'same' },
};

export const refreshOneUse: Scenario = {
  name: 'refresh-one-use',
  area: 'Connecting',
  does: 'Issues refresh tokens for one use; a second use revokes the grant.',
  tokens: { refresh: 'one-use' },
};

export const refreshNever: Scenario = {
  name: 'refresh-never',
  area: 'Connecting',
  does: 'Issues no refresh token, and access tokens that expire after thirty seconds.',
  tokens: { refresh: 'never', accessTokenSeconds: 30 },
};
