import { randomBytes } from 'node:crypto';
import { type Owner, databaseUrl, owners } from './provision';

/** Services whose keys a service accepts on its internal port. */
const acceptedCallers: Readonly<Record<Owner, readonly Owner[]>> = {
  auth: ['user-management', 'search', 'fhir-store', 'analytics-export'],
  'user-management': ['search', 'ingestion-worker', 'analytics-export'],
  search: ['user-management'],
  'fhir-store': ['user-management', 'ingestion-worker'],
  'analytics-export': [],
  'ingestion-worker': [],
};

/** Secrets that only some services receive, by the name of their environment variable. */
const receivers = {
  KEY_ENCRYPTION_KEY: ['user-management', 'fhir-store', 'analytics-export', 'ingestion-worker'],
  PAGE_TOKEN_KEY: ['fhir-store'],
  FILE_TOKEN_KEY: ['analytics-export'],
} as const satisfies Record<string, readonly Owner[]>;

/** The secrets of one installation. */
export interface InstallationSecrets {
  serviceKeys: Readonly<Record<Owner, string>>;
  databasePasswords: Readonly<Record<Owner, string>>;
  /** The lines of the file, each a key of 32 bytes in base64. */
  keyEncryptionKey: string;
  pageTokenKey: string;
  fileTokenKey: string;
}

/**
 * Makes the secrets of an installation.
 * @param keep returns the stored value of a name, or stores and returns what `make` returns
 */
export function makeSecrets(keep: (name: string, make: () => string) => string): InstallationSecrets {
  const secret = (): string => randomBytes(32).toString('base64url');
  const forEachOwner = (prefix: string): Record<Owner, string> =>
    Object.fromEntries(owners.map((owner) => [owner, keep(`${prefix}-${owner}`, secret)])) as Record<Owner, string>;
  return {
    serviceKeys: forEachOwner('service-key'),
    databasePasswords: forEachOwner('database-password'),
    keyEncryptionKey: keep('key-encryption-key', () => randomBytes(32).toString('base64')),
    pageTokenKey: keep('page-token-key', secret),
    fileTokenKey: keep('file-token-key', secret),
  };
}

/** The secrets that a service receives, by the names of their environment variables. */
export function secretsOf(
  service: Owner,
  secrets: InstallationSecrets,
  server: { host: string; port: number },
): Record<string, string> {
  const { serviceKeys, databasePasswords, keyEncryptionKey, pageTokenKey, fileTokenKey } = secrets;
  const values = {
    KEY_ENCRYPTION_KEY: keyEncryptionKey,
    PAGE_TOKEN_KEY: pageTokenKey,
    FILE_TOKEN_KEY: fileTokenKey,
  } satisfies Record<keyof typeof receivers, string>;
  const received = Object.entries(receivers).filter(([, services]) =>
    (services as readonly Owner[]).includes(service),
  ) as [keyof typeof receivers, unknown][];
  return {
    DATABASE_URL: databaseUrl(service, { ...server, password: databasePasswords[service] }),
    SERVICE_KEY: serviceKeys[service],
    SERVICE_KEYS: JSON.stringify(
      Object.fromEntries(acceptedCallers[service].map((caller) => [caller, serviceKeys[caller]])),
    ),
    ...Object.fromEntries(received.map(([name]) => [name, values[name]])),
  };
}
