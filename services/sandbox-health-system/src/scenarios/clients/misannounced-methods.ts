import type { Scenario } from '../scenario';

export const announcesBasicWantsPost: Scenario = {
  name: 'announces-basic-wants-post',
  area: 'Connecting',
  does: 'Announces client_secret_basic and takes client_secret_post alone.',
  tokens: { methods: ['none', 'client_secret_post'] },
  smartConfiguration: (document) => ({ ...document, token_endpoint_auth_methods_supported: ['client_secret_basic'] }),
};

export const announcesPostWantsBasic: Scenario = {
  name: 'announces-post-wants-basic',
  area: 'Connecting',
  does: 'Announces client_secret_post and takes client_secret_basic alone.',
  tokens: { methods: ['none', 'client_secret_basic'] },
  smartConfiguration: (document) => ({ ...document, token_endpoint_auth_methods_supported: ['client_secret_post'] }),
};

export const silentOnMethods: Scenario = {
  name: 'silent-on-methods',
  area: 'Connecting',
  does: 'Does not tell how clients authenticate, and takes client_secret_post alone.',
  tokens: { methods: ['none', 'client_secret_post'] },
  smartConfiguration: ({ token_endpoint_auth_methods_supported: _untold, ...document }) => document,
};
