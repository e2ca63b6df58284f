import { ClientNotAccepted, type ConnectionForCollection, NeedsReauthorization } from '@tributary/contracts';
import { type CollectionEnd, CollectionStale } from '../collection/collect';
import type { CollectorSettings } from '../collector';
import { type Attempt, AttemptSuperseded } from '../positions/attempt';
import { OwnServiceAway, isOurOwn } from '../queue/failures';

/** What the process of one collection is told to do. */
export interface IsolatedWork {
  settings: CollectorSettings;
  logLevel: string;
  connection: ConnectionForCollection;
  attempt: Attempt;
  isLast: boolean;
}

/** What it answers: first that it has begun to collect, then how that ended. */
export type IsolatedAnswer = { begun: true } | { end: CollectionEnd } | { thrown: Thrown; message: string };

type Thrown = keyof typeof errors | 'own_service' | 'other';

/** Errors that mean something to whoever asked for the collection. */
const errors = {
  stale: CollectionStale,
  superseded: AttemptSuperseded,
  needs_reauthorization: NeedsReauthorization,
  client_not_accepted: ClientNotAccepted,
};

export function toAnswer(error: unknown): IsolatedAnswer {
  const message = error instanceof Error ? error.message : 'unknown reason';
  for (const [thrown, type] of Object.entries(errors))
    if (error instanceof type) return { thrown: thrown as Thrown, message };
  return { thrown: isOurOwn(error) ? 'own_service' : 'other', message };
}

export function toError(thrown: Thrown, message: string): Error {
  if (thrown === 'own_service') return new OwnServiceAway(message);
  return thrown === 'other' ? new Error(message) : new errors[thrown]();
}
