import { randomBytes } from 'node:crypto';
import { type Owner, databaseUrl, owners } from './provision';

/** The services that have secrets: those that keep data, and those that only call others. */
export const services = [...owners, 'mcp-server'] as const;
export type Service = (typeof services)[number];

/** Services whose keys a service accepts on its internal port. */
const acceptedCallers: Readonly<Record<Service, readonly Service[]>> = {
  auth: ['user-management', 'search', 'fhir-store', 'analytics-export', 'mcp-server'],
  'user-management': ['search', 'ingestion-worker', 'analytics-export'],
  search: ['user-management'],
  'fhir-store': ['user-management', 'ingestion-worker'],
  'analytics-export': [],
  'ingestion-worker': [],
  'mcp-server': [],
};

/** Secrets that only some services receive, by the name of their environment variable. */
const receivers = {
  KEY_ENCRYPTION_KEY: ['user-management', 'fhir-store', 'analytics-export', 'ingestion-worker'],
  PAGE_TOKEN_KEY: ['fhir-store'],
  FILE_TOKEN_KEY: ['analytics-export'],
} as const satisfies Record<string, readonly Owner[]>;

/** The secrets of one installation. Each can have several lines, oldest first, while it is replaced. */
export interface InstallationSecrets {
  serviceKeys: Readonly<Record<Service, string>>;
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
  const forEach = <Name extends Service>(names: readonly Name[], prefix: string): Record<Name, string> =>
    Object.fromEntries(names.map((name) => [name, keep(`${prefix}-${name}`, secret)])) as Record<Name, string>;
  return {
    serviceKeys: forEach(services, 'service-key'),
    databasePasswords: forEach(owners, 'database-password'),
    keyEncryptionKey: keep('key-encryption-key', () => randomBytes(32).toString('base64')),
    pageTokenKey: keep('page-token-key', secret),
    fileTokenKey: keep('file-token-key', secret),
  };
}

/** The secrets that a service receives, by the names of their environment variables. */
export function secretsOf(
  service: Service,
  secrets: InstallationSecrets,
  server: { host: string; port: number },
): Record<string, string> {
  const { serviceKeys, databasePasswords, keyEncryptionKey, pageTokenKey, fileTokenKey } = secrets;
  const values = {
    KEY_ENCRYPTION_KEY: keyEncryptionKey,
    PAGE_TOKEN_KEY: pageTokenKey,
    FILE_TOKEN_KEY: fileTokenKey,
  } satisfies Record<keyof typeof receivers, string>;
  const received = Object.entries(receivers).filter(([, receiving]) =>
    (receiving as readonly Service[]).includes(service),
  ) as [keyof typeof receivers, unknown][];
  return {
    ...(isOwner(service)
      ? { DATABASE_URL: databaseUrl(service, { ...server, password: databasePasswords[service] }) }
      : {}),
    SERVICE_KEY: serviceKeys[service],
    SERVICE_KEYS: JSON.stringify(
      Object.fromEntries(acceptedCallers[service].map((caller) => [caller, oneOrMore(serviceKeys[caller])])),
    ),
    ...Object.fromEntries(received.map(([name]) => [name, values[name]])),
  };
}

/** All lines of a key are accepted; one line is a text, as before it was replaced for the first time. */
function oneOrMore(key: string): string | string[] {
  const lines = key.split('\n').filter((line) => line !== '');
  return lines.length === 1 ? key : lines;
}

function isOwner(service: Service): service is Owner {
  return (owners as readonly Service[]).includes(service);
}
