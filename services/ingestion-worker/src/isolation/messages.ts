import { ClientNotAccepted, type ConnectionForCollection, NeedsReauthorization } from '@tributary/contracts';
import type { RuntimeSettings } from '@tributary/service-kit';
import { type Attempt, AttemptSuperseded } from '../checkpoints/attempt';
import { CollectionStale } from '../collection/collected-record';
import type { CollectionEnd } from '../collection/collection-outcome';
import type { CollectorSettings } from '../collector';
import { InternalServiceUnavailable, isInternalOutage } from '../internal-services/internal-outage';

/** The message from the parent to the process of an isolated collection. */
export interface IsolatedWork {
  settings: CollectorSettings;
  /** Plain values: the key of the service is the one in use now. */
  runtime: RuntimeSettings & { serviceKey?: string | undefined };
  logLevel: string;
  connection: ConnectionForCollection;
  attempt: Attempt;
  isLast: boolean;
}

/** The messages to the parent: first that the collection has started, then its outcome. */
export type IsolatedMessage = { hasStarted: true } | { end: CollectionEnd } | { error: ErrorCode; message: string };

type ErrorCode = keyof typeof errors | 'internal_outage' | 'other';

/** Errors that the caller of `collect` distinguishes: IPC loses the class of an error. */
const errors = {
  stale: CollectionStale,
  superseded: AttemptSuperseded,
  needs_reauthorization: NeedsReauthorization,
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
