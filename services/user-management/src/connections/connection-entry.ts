import type { ConnectionEntry } from '@tributary/contracts';
import type { Connection } from './connection';

/** A connection as the public API returns it. */
export function connectionEntryOf(connection: Connection): ConnectionEntry {
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
    last_collected_at: lastCompletedAt?.toISOString() ?? null,
    ...(error === null ? {} : { error }),
    ...(status === 'collecting' && retryAt !== null ? { retry_at: retryAt.toISOString() } : {}),
  };
}
