import type { Scenario } from '../scenario';

export const announcesBasicWantsPost: Scenario = {
  name: 'announces-basic-wants-post',
  area: 'Connecting',
  does: 'Declares client_secret_basic and accepts client_secret_post only.',
  tokens: { methods: ['none', 'client_secret_post'] },
  smartConfiguration: (document) => ({ ...document, token_endpoint_auth_methods_supported: ['client_secret_basic'] }),
};

export const announcesPostWantsBasic: Scenario = {
  name: 'announces-post-wants-basic',
  area: 'Connecting',
  does: 'Declares client_secret_post and accepts client_secret_basic only.',
  tokens: { methods: ['none', 'client_secret_basic'] },
  smartConfiguration: (document) => ({ ...document, token_endpoint_auth_methods_supported: ['client_secret_post'] }),
};

export const silentOnMethods: Scenario = {
  name: 'silent-on-methods',
  area: 'Connecting',
  does: 'Declares no authentication methods, and accepts client_secret_post only.',
  tokens: { methods: ['none', 'client_secret_post'] },
  smartConfiguration: ({ token_endpoint_auth_methods_supported: _untold, ...document }) => document,
};
