import {
  ClientNotAccepted,
  type ConnectionForCollection,
  ConsentEnded,
  NeedsReauthorization,
} from '@tributary/contracts';
import { RotatingSecret, type RotatingSecretOptions, type RuntimeSettings } from '@tributary/service-kit';
import { type Attempt, AttemptSuperseded } from '../checkpoints/attempt';
import { CollectionStale } from '../collection/collected-record';
import type { CollectionEnd } from '../collection/collection-outcome';
import type { CollectorSettings } from '../collector';
import { InternalServiceUnavailable, isInternalOutage } from '../internal-services/internal-outage';

/** The message from the parent to the process of an isolated collection. */
export interface IsolatedWork {
  settings: CollectorSettings;
  runtime: SentRuntime;
  logLevel: string;
  connection: ConnectionForCollection;
  attempt: Attempt;
  isLast: boolean;
}

/** Plain values. A service key from a file is sent as the file: it may be rotated while the collection runs. */
export type SentRuntime = Omit<RuntimeSettings, 'serviceKey'> & {
  serviceKey?: string | RotatingSecret['file'] | undefined;
};

export function toSent({ serviceKey: key, ...runtime }: RuntimeSettings): SentRuntime {
  if (key instanceof RotatingSecret) return { ...runtime, serviceKey: key.file };
  return { ...runtime, serviceKey: typeof key === 'object' ? key.current : key };
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
