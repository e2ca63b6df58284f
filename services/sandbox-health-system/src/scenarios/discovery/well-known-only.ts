import type { Scenario } from '../scenario';

export const wellKnownOnly: Scenario = {
  name: 'well-known-only',
  area: 'Connecting',
  does: 'Has its OAuth endpoints in the smart-configuration only, also in DSTU2.',
  smartConfigurationInDstu2: true,
  capabilities: (document) => ({
    ...document,
    rest: document.rest.map(({ security: _hidden, ...rest }) => rest),
  }),
};
