import type { Scenario } from '../scenario';

export const rawBasic: Scenario = {
  name: 'raw-basic',
  area: 'Connecting',
  does: 'Does not percent-decode Basic credentials, and accepts no other method (use the client tributary-odd).',
  tokens: { methods: ['none', 'client_secret_basic'], rawBasicCredentials: true },
};
