import { backends } from '@tributary/gateway';
import { type Service, databaseUrl, keyEncryptionKeyOf, secretsOf } from '@tributary/postgres';
import { join } from 'node:path';
import type { Addresses, ReplicatedListener } from './addresses';
import type { SuiteCertificates } from './certificates';
import type { Home } from './home';
import type { SuiteObjectStorage } from './object-storage';
import type { PostgresSettings } from './postgres';
import type { RedisSettings } from './redis';

/** One process of the suite. */
export interface ProcessDefinition {
  name: string;
  /** The script that node runs. */
  script: string;
  environment: Record<string, string>;
  /** Responds 200 when the process is ready. */
  readyUrl: string;
  /** The certificate, in PEM, of the authority that an https URL is verified with. */
  authority?: string | undefined;
}

export interface SuiteOptions {
  repository: string;
  home: Home;
  addresses: Addresses;
  postgres: PostgresSettings;
  redis: RedisSettings;
  /** Without it, attachments are in PostgreSQL. */
  objectStorage?: SuiteObjectStorage | undefined;
  /** Variables for every process: NODE_ENV, LOG_LEVEL, and limits that tests change. */
  inherited: Record<string, string>;
  recordsDirectory?: string | undefined;
  /** With them, everything is reached over TLS. */
  certificates?: SuiteCertificates | undefined;
  /** Whether the services keep an audit log; they do by default. */
  isAudited?: boolean | undefined;
  /** Whether HAProxy, which node does not run, is the gateway. */
  hasHaproxy: boolean;
}

/** The processes of the suite that node runs. */
export function suiteProcesses(options: SuiteOptions): ProcessDefinition[] {
  const replicas = Array.from({ length: options.addresses.replicas }, (_, index) => index + 1);
  const services = (
    [
      'auth',
      'search',
      'user-management',
      'fhir-store',
      'analytics-export',
      'ingestion-worker',
      'audit-log',
      'mcp-server',
      'console',
    ] as const
  ).flatMap((name) => replicas.map((replica) => service(name, replica, options)));
  const sites = replicas.map((replica) => documentation(replica, options));
  const authority = options.certificates?.authority;
  const gateways = options.hasHaproxy ? [] : [gateway(options)];
  return [sandbox(options), sandboxMail(options), ...services, ...sites, ...gateways].map((process) => ({
    ...process,
    authority,
  }));
}

/** The addresses that every service and every operator's command gets. */
export function commonEnvironment({
  addresses,
  inherited,
  certificates,
}: Pick<SuiteOptions, 'addresses' | 'inherited' | 'certificates'>): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    SANDBOX_MODE: 'true',
    BASE_URL: addresses.url('gateway'),
    AUTH_URL: addresses.url('auth'),
    SEARCH_URL: addresses.url('search'),
    ANALYTICS_URL: addresses.url('analytics-export'),
    API_URL: addresses.url('gateway'),
    AUTH_API_URL: addresses.url('auth'),
    SEARCH_API_URL: addresses.url('search'),
    ANALYTICS_API_URL: addresses.url('analytics-export'),
    AUTH_INTERNAL_URL: addresses.url('auth internal'),
    SEARCH_INTERNAL_URL: addresses.url('search internal'),
    USER_MANAGEMENT_INTERNAL_URL: addresses.url('user-management internal'),
    FHIR_STORE_INTERNAL_URL: addresses.url('fhir-store internal'),
    ANALYTICS_EXPORT_INTERNAL_URL: addresses.url('analytics-export internal'),
    INGESTION_WORKER_INTERNAL_URL: addresses.url('ingestion-worker internal'),
    AUDIT_LOG_INTERNAL_URL: addresses.url('audit-log internal'),
    MCP_SERVER_INTERNAL_URL: addresses.url('mcp-server internal'),
    DOCUMENTATION_INTERNAL_URL: addresses.url('documentation internal'),
    ...(certificates ? clientTls(certificates) : {}),
    ...inherited,
  };
}

/** How a process verifies what it connects to: everything is encrypted. */
function clientTls({ authorityFile }: SuiteCertificates): Record<string, string> {
  return {
    REQUIRE_TLS: 'true',
    DATABASE_CA_FILE: authorityFile,
    REDIS_CA_FILE: authorityFile,
    // For the sandbox, which takes the place of health systems with certificates of public authorities.
    NODE_EXTRA_CA_CERTS: authorityFile,
  };
}

/** The certificate of a process. */
function ownTls(
  subject: Parameters<SuiteCertificates['files']>[0],
  certificates: SuiteCertificates | undefined,
): Record<string, string> {
  if (!certificates) return {};
  const { certificate, key, authority } = certificates.files(subject);
  return { TLS_CERTIFICATE_FILE: certificate, TLS_KEY_FILE: key, TLS_CA_FILE: authority };
}

/** The name of a process: that of its service, with a number from the second replica on. */
export function replicaName(service: string, replica: number): string {
  return replica === 1 ? service : `${service}-${replica}`;
}

function service(name: Service, replica: number, options: SuiteOptions): ProcessDefinition {
  const { addresses, repository } = options;
  const internalPort = addresses.replicaPort(`${name} internal` satisfies ReplicatedListener, replica);
  return {
    name: replicaName(name, replica),
    script: join(repository, 'services', name, 'dist', 'main.js'),
    readyUrl: `${addresses.scheme}://localhost:${internalPort}/readyz`,
    environment: {
      ...commonEnvironment(options),
      ...serviceEnvironment(name, options),
      ...(name === 'console' ? mailOf(options) : {}),
      INTERNAL_PORT: String(internalPort),
      PORT: String(name === 'ingestion-worker' ? 0 : addresses.replicaPort(name, replica)),
    },
  };
}

/** It has neither a database nor a secret. */
function documentation(replica: number, options: SuiteOptions): ProcessDefinition {
  const { addresses, repository } = options;
  const internalPort = addresses.replicaPort('documentation internal', replica);
  return {
    name: replicaName('documentation', replica),
    script: join(repository, 'services', 'documentation', 'dist', 'main.js'),
    readyUrl: `${addresses.scheme}://localhost:${internalPort}/readyz`,
    environment: {
      ...commonEnvironment(options),
      ...ownTls('documentation', options.certificates),
      INTERNAL_PORT: String(internalPort),
      PORT: String(addresses.replicaPort('documentation', replica)),
      SANDBOX_URL: addresses.url('sandbox-health-system'),
    },
  };
}

/** The services that write and read attachments. */
const storingAttachments: readonly Service[] = ['fhir-store', 'analytics-export'];

/** What a service and its own commands need: its database and its keys. */
export function serviceEnvironment(
  name: Service,
  {
    postgres,
    redis,
    objectStorage,
    home,
    certificates,
    isAudited = true,
  }: Pick<SuiteOptions, 'postgres' | 'redis' | 'objectStorage' | 'home' | 'certificates' | 'isAudited'>,
): Record<string, string> {
  const keyName = keyEncryptionKeyOf(name);
  const {
    KEY_ENCRYPTION_KEY: _read,
    AUDIT_SEALING_KEY,
    ...secrets
  } = secretsOf(name, home.secrets, {
    postgres: { host: '127.0.0.1', port: postgres.port },
    redisUrl: redis.url.replace(/:\/\/.*@/, '://'),
  });
  return {
    ...secrets,
    ...(postgres.isPooled ? { DATABASE_POOLER: 'transaction' } : {}),
    ...(name === 'analytics-export' ? exportEnvironment(postgres) : {}),
    ...(redis.hasUsers ? {} : { REDIS_URL: redis.url, REDIS_PASSWORD: '' }),
    REDIS_MODE: redis.mode,
    ...ownTls(name, certificates),
    ...(isAudited && AUDIT_SEALING_KEY !== undefined ? { AUDIT_SEALING_KEY } : {}),
    ...(name === 'audit-log' ? { AUDIT_ANCHOR_FILE: join(home.root, 'audit-anchors.ndjson') } : {}),
    ...(storingAttachments.includes(name) ? objectStorage?.environment : {}),
    ...(keyName ? { KEY_ENCRYPTION_KEY_FILE: home.keyEncryptionKeyFiles[keyName] } : {}),
  };
}

function exportEnvironment({ isPooled, replicaPort }: PostgresSettings): Record<string, string> {
  return {
    // Its limits become settings of its role, and a download is one statement.
    ...(isPooled ? { DATABASE_STATEMENT_TIMEOUT_MS: '0' } : {}),
    ...(replicaPort === undefined
      ? {}
      : { RECORDS_DATABASE_URL: databaseUrl('analytics-export', { host: '127.0.0.1', port: replicaPort }) }),
  };
}

function sandbox(options: SuiteOptions): ProcessDefinition {
  const { addresses, home, repository, recordsDirectory, inherited, certificates } = options;
  const url = addresses.url('sandbox-health-system');
  return {
    name: 'sandbox-health-system',
    script: join(repository, 'services', 'sandbox-health-system', 'dist', 'main.js'),
    readyUrl: `${url}/sandbox/patients`,
    environment: {
      ...inherited,
      HOST: '127.0.0.1',
      PORT: String(addresses.port('sandbox-health-system')),
      ...ownTls('sandbox-health-system', certificates),
      SANDBOX_URL: url,
      SANDBOX_CLIENT_SECRET: home.secrets.sandboxClientSecret,
      SANDBOX_REDIRECT_URIS: `${addresses.url('gateway')}/connect/callback`,
      ...(recordsDirectory ? { RECORDS_DIR: recordsDirectory } : {}),
    },
  };
}

/** It shows the mail of the suite, and sends none on. */
function sandboxMail({ addresses, repository, inherited, certificates }: SuiteOptions): ProcessDefinition {
  return {
    name: 'sandbox-mail',
    script: join(repository, 'services', 'sandbox-mail', 'dist', 'main.js'),
    readyUrl: `${addresses.url('sandbox-mail')}/healthz`,
    environment: {
      ...inherited,
      HOST: '127.0.0.1',
      ...ownTls('sandbox-mail', certificates),
      PORT: String(addresses.port('sandbox-mail')),
      SMTP_PORT: String(addresses.port('sandbox-mail smtp')),
    },
  };
}

/** How a service sends mail. */
function mailOf({ addresses, certificates }: SuiteOptions): Record<string, string> {
  return {
    SMTP_URL: `${certificates ? 'smtps' : 'smtp'}://localhost:${addresses.port('sandbox-mail smtp')}`,
    MAIL_FROM: 'no-reply@tributary.example',
    SANDBOX_MAIL_URL: addresses.url('sandbox-mail'),
  };
}

/** The gateway of a machine without HAProxy. */
function gateway({ addresses, repository, inherited, certificates }: SuiteOptions): ProcessDefinition {
  const origins = backends.map(({ service }) => [
    service,
    `${addresses.scheme}://127.0.0.1:${addresses.port(service)}`,
  ]);
  return {
    name: 'gateway',
    script: join(repository, 'infra', 'local', 'dist', 'gateway', 'main.js'),
    readyUrl: `${addresses.url('gateway')}/healthz`,
    environment: {
      ...inherited,
      HOST: '127.0.0.1',
      ...ownTls('gateway', certificates),
      PORT: String(addresses.port('gateway')),
      ORIGINS: JSON.stringify(Object.fromEntries(origins)),
    },
  };
}
