import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { linesOf } from '@tributary/contracts';
import { type DatabaseUser, databaseUrl, databaseUsers } from './provision';

/** The services that have secrets: those that use the database, and one that only calls others. */
export const services = [...databaseUsers, 'mcp-server'] as const;
export type Service = (typeof services)[number];

/** Services whose keys a service accepts on its internal port. */
const acceptedCallers: Readonly<Record<Service, readonly Service[]>> = {
  auth: ['user-management', 'search', 'fhir-store', 'analytics-export', 'audit-log', 'mcp-server', 'console'],
  'user-management': ['search', 'ingestion-worker', 'analytics-export', 'console'],
  search: ['user-management', 'console'],
  'fhir-store': ['user-management', 'ingestion-worker', 'console'],
  'analytics-export': [],
  'ingestion-worker': ['console'],
  'audit-log': ['console'],
  'mcp-server': [],
  console: [],
};

/** The key-encryption keys, each for a schema of the database, and the services that have them. */
const keyEncryptionKeys = {
  records: ['fhir-store', 'analytics-export'],
  'user-management': ['user-management'],
  'ingestion-worker': ['ingestion-worker'],
  console: ['console'],
} as const satisfies Record<string, readonly DatabaseUser[]>;
export type KeyEncryptionKeyName = keyof typeof keyEncryptionKeys;
const keyNames = Object.keys(keyEncryptionKeys) as KeyEncryptionKeyName[];

/** Other secrets that only some services receive, by the name of their environment variable. */
const receivers = {
  PAGE_TOKEN_KEY: ['fhir-store', 'audit-log'],
  FILE_TOKEN_KEY: ['analytics-export'],
  AUDIT_SEALING_KEY: databaseUsers,
  AUDIT_OPENING_KEY: ['audit-log'],
  AUDIT_SIGNING_KEY: ['audit-log'],
} as const satisfies Record<string, readonly DatabaseUser[]>;

/** The secrets of one installation. Each can have several lines, oldest first, while it is replaced. */
export interface InstallationSecrets {
  serviceKeys: Readonly<Record<Service, string>>;
  databasePasswords: Readonly<Record<DatabaseUser, string>>;
  redisPasswords: Readonly<Record<Service, string>>;
  /** Of the user of Redis that checks its health and reads its users again. */
  redisOperatorPassword: string;
  /** The lines of each file are keys of 32 bytes in base64. */
  keyEncryptionKeys: Readonly<Record<KeyEncryptionKeyName, string>>;
  pageTokenKey: string;
  fileTokenKey: string;
  /** Seals the paging links of audit-log. */
  auditPageTokenKey: string;
  /** Lines, each a private RSA key (PKCS #8 in base64), which opens the audit log. The writers have the public keys. */
  auditOpeningKey: string;
  /** Lines, each a private Ed25519 key (PKCS #8 in base64), which signs the checkpoints of the audit log. */
  auditSigningKey: string;
}

/**
 * Makes the secrets of an installation.
 * @param keep returns the stored value of a name, or stores and returns what `make` returns
 */
export function makeSecrets(keep: (name: string, make: () => string) => string): InstallationSecrets {
  const secret = (): string => randomBytes(32).toString('base64url');
  const forEach = <Name extends string>(names: readonly Name[], prefix: string, make = secret): Record<Name, string> =>
    Object.fromEntries(names.map((name) => [name, keep(`${prefix}-${name}`, make)])) as Record<Name, string>;
  return {
    serviceKeys: forEach(services, 'service-key'),
    databasePasswords: forEach(databaseUsers, 'database-password'),
    redisPasswords: forEach(services, 'redis-password'),
    redisOperatorPassword: keep('redis-operator-password', secret),
    keyEncryptionKeys: forEach(keyNames, 'key-encryption-key', () => randomBytes(32).toString('base64')),
    pageTokenKey: keep('page-token-key', secret),
    fileTokenKey: keep('file-token-key', secret),
    auditPageTokenKey: keep('audit-page-token-key', secret),
    auditOpeningKey: keep('audit-opening-key', () =>
      textOf(generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey),
    ),
    auditSigningKey: keep('audit-signing-key', () => textOf(generateKeyPairSync('ed25519').privateKey)),
  };
}

/**
 * The secrets that a service receives, by the names of their environment variables.
 * @param servers where PostgreSQL and Redis are; the URL of Redis names no user
 */
export function secretsOf(
  service: Service,
  secrets: InstallationSecrets,
  { postgres, redisUrl }: { postgres: { host: string; port: number }; redisUrl: string },
): Record<string, string> {
  const { serviceKeys, databasePasswords } = secrets;
  const keyName = keyEncryptionKeyOf(service);
  const values = {
    PAGE_TOKEN_KEY: service === 'audit-log' ? secrets.auditPageTokenKey : secrets.pageTokenKey,
    FILE_TOKEN_KEY: secrets.fileTokenKey,
    AUDIT_SEALING_KEY: linesOf(secrets.auditOpeningKey).map(publicKeyOf).join('\n'),
    AUDIT_OPENING_KEY: secrets.auditOpeningKey,
    AUDIT_SIGNING_KEY: secrets.auditSigningKey,
  } satisfies Record<keyof typeof receivers, string>;
  const received = Object.entries(receivers).filter(([, receiving]) =>
    (receiving as readonly Service[]).includes(service),
  ) as [keyof typeof receivers, unknown][];
  return {
    ...(usesDatabase(service)
      ? { DATABASE_URL: databaseUrl(service, postgres), DATABASE_PASSWORD: databasePasswords[service] }
      : {}),
    REDIS_URL: redisUrl.replace('://', `://${service}@`),
    REDIS_PASSWORD: secrets.redisPasswords[service],
    SERVICE_KEY: serviceKeys[service],
    SERVICE_KEYS: JSON.stringify(
      Object.fromEntries(acceptedCallers[service].map((caller) => [caller, oneOrMore(serviceKeys[caller])])),
    ),
    ...(keyName ? { KEY_ENCRYPTION_KEY: secrets.keyEncryptionKeys[keyName] } : {}),
    ...Object.fromEntries(received.map(([name]) => [name, values[name]])),
  };
}

/** The key-encryption key that a service has; most have none. */
export function keyEncryptionKeyOf(service: Service): KeyEncryptionKeyName | undefined {
  return keyNames.find((name) => (keyEncryptionKeys[name] as readonly Service[]).includes(service));
}

/** All lines of a key are accepted; one line is a text, as before it was replaced for the first time. */
function oneOrMore(key: string): string | readonly string[] {
  const lines = linesOf(key);
  return lines.length === 1 ? (lines[0] as string) : lines;
}

function textOf(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
}

/** The public key (SubjectPublicKeyInfo in base64) of a private one. */
function publicKeyOf(privateKey: string): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), type: 'pkcs8', format: 'der' });
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
}

function usesDatabase(service: Service): service is DatabaseUser {
  return (databaseUsers as readonly Service[]).includes(service);
}
