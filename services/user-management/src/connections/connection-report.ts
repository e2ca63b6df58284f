import type { ConnectionError, ConnectionStatus, TypeProgress } from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import { isConsentExpired } from '../consent/consent-receipts';
import { isConnectionPaused } from '../health-systems/paused-hosts';
import type { ClientProblem } from '../grants/grant';

/** A type of the collection in progress, or of the last one. Warnings are reduced to their codes. */
interface TypeReport extends Omit<TypeProgress, 'warnings'> {
  warnings: string[];
}

/** What `connection show` prints. It has no token, no id of a patient and no value of a record. */
export interface ConnectionReport {
  connection_id: string;
  client_id: string;
  service_user_id: number;
  user_state: string;
  health_system_id: number;
  health_system_name: string;
  fhir_version: string;
  fhir_base_url: string;
  status: ConnectionStatus;
  collection_id: string;
  error: ConnectionError | null;
  /** Transient failures in a row. */
  failed_attempts: number;
  failing_since: Date | null;
  retry_at: Date | null;
  /** When the worker last reported progress. */
  heartbeat_at: Date | null;
  /** When the job is next added to the queue, unless the worker reports before. */
  enqueue_at: Date | null;
  enqueue_attempts: number;
  last_completed_at: Date | null;
  next_collection_at: Date | null;
  full_collection: 'requested' | 'under_way' | null;
  is_consent_expired: boolean;
  is_paused: boolean;
  /** Null: there are no tokens any more. */
  grant: {
    refreshable: boolean;
    access_token_expires_at: Date | null;
    refresh_failures: number;
    refresh_refusals: number;
    next_refresh_at: Date | null;
    client_problem: ClientProblem | null;
    client_problem_since: Date | null;
  } | null;
  types: TypeReport[];
}

interface ReportRow extends Omit<ConnectionReport, 'grant' | 'types'> {
  grant_id: string | null;
  progress: TypeProgress[];
}

const selectConnection = `
  SELECT c.connection_id, c.client_id, c.service_user_id, u.state AS user_state, c.health_system_id,
    c.health_system_name, c.fhir_version, c.fhir_base_url, c.status, c.collection_id, c.error, c.failed_attempts,
    c.failing_since, c.retry_at, c.heartbeat_at, CASE WHEN c.status = 'collecting' THEN c.enqueue_at END AS enqueue_at,
    c.enqueue_attempts, c.last_completed_at, c.next_collection_at, c.full_collection, c.progress, c.grant_id,
    ${isConsentExpired('c')} AS is_consent_expired, ${isConnectionPaused('c')} AS is_paused
  FROM connection c JOIN service_user u ON u.service_user_id = c.service_user_id WHERE c.connection_id = $1`;

const selectGrant = `
  SELECT refreshable, expires_at AS access_token_expires_at, refresh_failures, refresh_refusals, next_refresh_at,
    client_problem, client_problem_since
  FROM health_system_grant WHERE grant_id = $1`;

/** The state of a connection, for the operator; undefined when there is no such connection. */
export async function reportConnection(
  database: DataSource,
  connectionId: string,
): Promise<ConnectionReport | undefined> {
  const [row] = (await database.query(selectConnection, [connectionId])) as ReportRow[];
  if (!row) return undefined;
  const { progress, grant_id, ...connection } = row;
  const [grant = null] = (await database.query(selectGrant, [grant_id])) as NonNullable<ConnectionReport['grant']>[];
  return {
    ...connection,
    service_user_id: Number(row.service_user_id),
    health_system_id: Number(row.health_system_id),
    grant,
    types: progress.map((type) => ({ ...type, warnings: [...new Set(type.warnings.map(({ code }) => code))] })),
  };
}
