import { startObjectStorage } from '@tributary/local-databases';
import type { Addresses } from './addresses';
import type { SuiteCertificates } from './certificates';
import type { Home } from './home';

export interface SuiteObjectStorage {
  /** Of the services that use it. */
  environment: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts an object storage in this process, on the objects of earlier starts. */
export async function startSuiteObjectStorage(
  home: Home,
  addresses: Addresses,
  certificates: SuiteCertificates | undefined,
): Promise<SuiteObjectStorage> {
  const { variables, stop } = await startObjectStorage({
    port: addresses.port('object-storage'),
    directory: home.objects,
    credentials: home.secrets.objectStorage,
    tls: certificates?.read('object-storage'),
  });
  return {
    environment: {
      ...variables,
      ...(certificates ? { OBJECT_STORAGE_CA_FILE: certificates.authorityFile } : {}),
    },
    stop,
  };
}
