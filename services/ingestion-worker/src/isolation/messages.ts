import {
  ClientNotAccepted,
  type ConnectionForCollection,
  ConsentEnded,
  HealthSystemPaused,
  NeedsReauthorization,
} from '@tributary/contracts';
import {
  type DatabaseConfig,
  type RedisConfig,
  RotatingSecret,
  type RotatingSecretOptions,
  type RuntimeSettings,
  type Secret,
} from '@tributary/service-kit';
import { type Attempt, AttemptSuperseded } from '../checkpoints/attempt';
import { CollectionStale } from '../collection/record/progress-reporter';
import type { CollectionEnd } from '../collection/outcome/collection-outcome';
import type { CollectorSettings } from '../collector';
import { InternalServiceUnavailable, isInternalOutage } from '../internal-services/internal-outage';

/** The message from the parent to the process of an isolated collection. */
export interface IsolatedWork {
  settings: SentSettings;
  runtime: SentRuntime;
  logLevel: string;
  connection: ConnectionForCollection;
  attempt: Attempt;
  isLast: boolean;
}

/** A plain value. A secret from a file is sent as the file: it may be replaced while the collection runs. */
type SentSecret = string | RotatingSecret['file'] | undefined;

export type SentRuntime = Omit<RuntimeSettings, 'serviceKey'> & { serviceKey?: SentSecret };
export type SentSettings = Omit<CollectorSettings, 'database' | 'redis'> & {
  database: string | (Omit<DatabaseConfig, 'DATABASE_PASSWORD'> & { DATABASE_PASSWORD?: SentSecret });
  redis: Omit<RedisConfig, 'REDIS_PASSWORD' | 'REDIS_SENTINEL_PASSWORD'> & {
    REDIS_PASSWORD?: SentSecret;
    REDIS_SENTINEL_PASSWORD?: SentSecret;
  };
};

export function toSent({ serviceKey, ...runtime }: RuntimeSettings): SentRuntime {
  return { ...runtime, serviceKey: sentSecret(serviceKey) };
}

export function settingsToSent({ database, redis, ...settings }: CollectorSettings): SentSettings {
  return {
    ...settings,
    database:
      typeof database === 'string'
        ? database
        : { ...database, DATABASE_PASSWORD: sentSecret(database.DATABASE_PASSWORD) },
    redis: {
      ...redis,
      REDIS_PASSWORD: sentSecret(redis.REDIS_PASSWORD),
      REDIS_SENTINEL_PASSWORD: sentSecret(redis.REDIS_SENTINEL_PASSWORD),
    },
  };
}

function sentSecret(secret: string | Secret | undefined): SentSecret {
  if (secret instanceof RotatingSecret) return secret.file;
  return typeof secret === 'object' ? secret.current : secret;
}

/** @throws Error when the file of a password cannot be read */
export function settingsFromSent(
  { database, redis, ...settings }: SentSettings,
  log: RotatingSecretOptions['log'],
): CollectorSettings {
  return {
    ...settings,
    database:
      typeof database === 'string'
        ? database
        : { ...database, DATABASE_PASSWORD: openSecret(database.DATABASE_PASSWORD, log) },
    redis: {
      ...redis,
      REDIS_PASSWORD: openSecret(redis.REDIS_PASSWORD, log),
      REDIS_SENTINEL_PASSWORD: openSecret(redis.REDIS_SENTINEL_PASSWORD, log),
    },
  };
}

function openSecret(sent: SentSecret, log: RotatingSecretOptions['log']): Secret | undefined {
  if (typeof sent === 'object') return new RotatingSecret({ ...sent, log });
  return sent === undefined ? undefined : { accepted: [sent], current: sent };
}

/** @throws Error when the file of the service key cannot be read */
export function fromSent(
  { serviceKey: key, ...runtime }: SentRuntime,
  log: RotatingSecretOptions['log'],
): RuntimeSettings {
  return { ...runtime, serviceKey: typeof key === 'object' ? new RotatingSecret({ ...key, log }) : key };
}

/** The messages to the parent: first that the collection has started, then its outcome. */
export type IsolatedMessage = { hasStarted: true } | { end: CollectionEnd } | { error: ErrorCode; message: string };

type ErrorCode = keyof typeof errors | 'internal_outage' | 'other';

/** Errors that the caller of `collect` distinguishes: IPC loses the class of an error. */
const errors = {
  stale: CollectionStale,
  superseded: AttemptSuperseded,
  needs_reauthorization: NeedsReauthorization,
  consent_ended: ConsentEnded,
  client_not_accepted: ClientNotAccepted,
  health_system_paused: HealthSystemPaused,
};

export function toMessage(error: unknown): IsolatedMessage {
  const message = error instanceof Error ? error.message : 'unknown reason';
  for (const [code, type] of Object.entries(errors))
    if (error instanceof type) return { error: code as ErrorCode, message };
  return { error: isInternalOutage(error) ? 'internal_outage' : 'other', message };
}

export function toError(code: ErrorCode, message: string): Error {
  if (code === 'internal_outage') return new InternalServiceUnavailable(message);
  return code === 'other' ? new Error(message) : new errors[code]();
}
