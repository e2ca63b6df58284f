import { readFile } from 'node:fs/promises';
import type { RunSql } from '@tributary/key-vault';
import type { Logger } from 'pino';
import { AwsKms } from './aws-kms';
import { AzureKeyVault } from './azure-key-vault';
import type { KeyEncryptionKeyConfig } from './config';
import { FileKek } from './file-kek';
import { GoogleKms } from './google-kms';
import type { KeyService } from './key-service';
import type { ManagedKek } from './managed-kek';
import { StoredWrappingKeys } from './stored-wrapping-keys';
import { VaultTransit } from './vault-transit';

export interface WrappingKeyTable {
  /** Runs a statement on the database of `table`. */
  run: RunSql;
  /** The table of `createWrappingKeys`, with its schema. It is not read with KEY_PROVIDER=file. */
  table: string;
  log?: Pick<Logger, 'warn'> | undefined;
}

/**
 * Opens the key-encryption key that the configuration selects. Asks no key service yet.
 * @throws Error when the configuration is incomplete, or the key file cannot be used
 */
export async function openKeyEncryptionKey(
  config: KeyEncryptionKeyConfig,
  table: WrappingKeyTable,
): Promise<ManagedKek> {
  const { KEY_PROVIDER: provider, KEY_ENCRYPTION_KEY_FILE: path, KEY_PROVIDER_KEY: keys } = config;
  const file =
    path === undefined
      ? undefined
      : new FileKek({ path, activationSeconds: config.SECRET_ACTIVATION_SECONDS, log: table.log });
  if (provider === 'file') {
    if (!file) throw new Error('KEY_PROVIDER=file needs KEY_ENCRYPTION_KEY_FILE, the file of the key-encryption key');
    return file;
  }
  if (keys === undefined)
    throw new Error(`KEY_PROVIDER=${provider} needs KEY_PROVIDER_KEY, the key of the key service`);
  const ca =
    config.KEY_PROVIDER_CA_FILE === undefined ? undefined : await readFile(config.KEY_PROVIDER_CA_FILE, 'utf8');
  const services: KeyService[] = [];
  for (const key of keys.split(','))
    services.push(await openKeyService(provider, { ...config, key, endpoint: config.KEY_PROVIDER_ENDPOINT, ca }));
  return new StoredWrappingKeys({ ...table, services, file });
}

async function openKeyService(
  provider: Exclude<KeyEncryptionKeyConfig['KEY_PROVIDER'], 'file'>,
  options: KeyEncryptionKeyConfig & { key: string; endpoint: string | undefined; ca: string | undefined },
): Promise<KeyService> {
  switch (provider) {
    case 'aws-kms':
      return AwsKms.open(options);
    case 'google-kms':
      return GoogleKms.open(options);
    case 'azure-key-vault':
      return AzureKeyVault.open(options);
    case 'vault-transit':
      return new VaultTransit(options);
  }
}
