import {
  type ConnectionEntry,
  type ConnectionWarning,
  type TypeProgress,
  isCompleteRecord,
} from '@tributary/contracts';
import type { Grant } from '../grants/grant';
import type { Connection } from './connection';

/** A connection as the public API returns it. @param grant undefined when it is deleted */
export function connectionEntryOf(
  connection: Connection,
  grant: Pick<Grant, 'scope' | 'refreshable'> | undefined,
): ConnectionEntry {
  const {
    connectionId,
    healthSystemId,
    healthSystemName,
    fhirVersion,
    status,
    progress,
    lastCompletedAt,
    error,
    retryAt,
  } = connection;
  return {
    connection_id: connectionId,
    health_system: { id: healthSystemId, name: healthSystemName },
    fhirVersion,
    status,
    progress: {
      collected: progress.reduce((sum, { stored, unchanged }) => sum + stored + unchanged, 0),
      types_done: progress.filter(({ done }) => done).length,
      types_total: progress.length,
    },
    complete: lastCompletedAt !== null && isCompleteRecord(progress),
    warnings: warningsOf(progress),
    last_collected_at: lastCompletedAt?.toISOString() ?? null,
    granted_scopes: grant?.scope.split(/\s+/).filter((scope) => scope !== '') ?? [],
    refreshable: grant?.refreshable ?? false,
    ...(error === null ? {} : { error }),
    ...(status === 'collecting' && retryAt !== null ? { retry_at: retryAt.toISOString() } : {}),
  };
}

/** The warnings of all types, each with its type. */
export function warningsOf(types: readonly TypeProgress[]): ConnectionWarning[] {
  return types.flatMap(({ type, warnings }) => warnings.map(({ code, message }) => ({ code, type, message })));
}
