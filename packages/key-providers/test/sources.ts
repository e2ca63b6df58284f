import { startAwsDouble } from './aws-double';
import { startAzureDouble } from './azure-double';
import { startGoogleDouble } from './google-double';
import type { KeyServiceDouble } from './key-service-double';
import { hasVault, startVault } from './vault';
import { startVaultDouble } from './vault-double';

/** Starts each key service: the doubles, and a real Vault or OpenBao where one is installed. */
export const keyServices: readonly (readonly [string, () => Promise<KeyServiceDouble>])[] = [
  ['aws-kms', startAwsDouble],
  ['google-kms', startGoogleDouble],
  ['azure-key-vault', startAzureDouble],
  ['vault-transit', startVaultDouble],
  ...(hasVault() ? ([['a real vault-transit', startVault]] as const) : []),
];
