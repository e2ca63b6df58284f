import type { Scenario } from '../scenario';

export const rawBasic: Scenario = {
  name: 'raw-basic',
  area: 'Connecting',
  does: 'Does not percent-decode Basic credentials, and takes no others (sign in as client tributary-odd).',
  tokens: { methods: ['none', 'client_secret_basic'], rawBasicCredentials: true },
};
