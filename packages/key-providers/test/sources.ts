import { startAwsDouble } from './aws-double';
import { startAzureDouble } from './azure-double';
import { startGoogleDouble } from './google-double';
import type { KeyServiceDouble } from './key-service-double';
import { hasVault, startVault } from './vault';
import { startVaultDouble } from './vault-double';

type Starts = readonly (readonly [string, () => Promise<KeyServiceDouble>])[];

/** Starts the double of each key service, which speaks TLS. */
export const keyServiceDoubles: Starts = [
  ['aws-kms', startAwsDouble],
  ['google-kms', startGoogleDouble],
  ['azure-key-vault', startAzureDouble],
  ['vault-transit', startVaultDouble],
];

/** Starts each key service: the doubles, and a real Vault or OpenBao where one is installed. */
export const keyServices: Starts = [
  ...keyServiceDoubles,
  ...(hasVault() ? ([['a real vault-transit', startVault]] as const) : []),
];
