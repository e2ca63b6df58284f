import type { Scenario } from '../scenario';

export const metadataOnly: Scenario = {
  name: 'metadata-only',
  area: 'Connecting',
  does: 'Has no smart-configuration: its OAuth endpoints stand in /metadata alone.',
  smartConfiguration: () => undefined,
};
