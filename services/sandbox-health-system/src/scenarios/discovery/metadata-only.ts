import type { Scenario } from '../scenario';

export const metadataOnly: Scenario = {
  name: 'metadata-only',
  area: 'Connecting',
  does: 'Has no smart-configuration: its OAuth endpoints are in /metadata only.',
  smartConfiguration: () => undefined,
};
