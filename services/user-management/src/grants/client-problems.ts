import type { ConnectionError } from '@tributary/contracts';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { collectionRetryDelayMs } from '../collection/retry-delay';
import { recordRefreshFailure } from '../outcomes/connect-outcomes';
import { lockUser } from '../users/user-lock';
import type { ClientProblem, Grant } from './grant';

const maxRetryDelayMs = 6 * 3_600_000;
const logEveryMs = 60_000;

const messages: Record<ClientProblem, string> = {
  not_registered: 'our client is not registered at this health system: use `registration set`',
  refused: 'the health system refuses the credentials of our client: correct them by `registration set`',
};

/** Clients see that a collection waits for the operator, but not why. */
const connectionErrorOfClient: ConnectionError = {
  code: 'client_not_accepted',
  message: 'the health system does not accept our client; the operator must correct its registration',
};

/**
 * Records health systems that do not accept our client, for the operator (`connection problems`). Users and clients get
 * no event.
 */
export class ClientProblems {
  readonly #loggedAt = new Map<string, number>();

  constructor(
    private readonly database: DataSource,
    private readonly log: Logger,
  ) {}

  /**
   * Records the problem of a grant, and postpones its collections until the next refresh at least. The next successful
   * refresh clears it.
   * @param isRepeated the problem is known, and no request was sent
   */
  async record(
    { grantId, serviceUserId, fhirBaseUrl }: Grant,
    problem: ClientProblem,
    isRepeated = false,
  ): Promise<void> {
    this.#logOnce(new URL(fhirBaseUrl).host, problem);
    await this.database.transaction(async (manager) => {
      await lockUser(manager, serviceUserId);
      const waiting = (await manager.query(
        `SELECT connection_id, failed_attempts FROM connection
         WHERE grant_id = $1 AND status = 'collecting' AND retry_at IS NULL ORDER BY connection_id FOR UPDATE`,
        [grantId],
      )) as { connection_id: string; failed_attempts: number }[];
      for (const { connection_id, failed_attempts } of waiting) {
        await manager.query(
          `UPDATE connection SET error = $4::jsonb, failed_attempts = failed_attempts + 1, heartbeat_at = NULL,
             enqueue_attempts = 0, retry_at = due.at, enqueue_at = due.at
           FROM (SELECT greatest(now() + $2 * interval '1 millisecond', next_refresh_at) AS at
             FROM health_system_grant WHERE grant_id = $3) due
           WHERE connection_id = $1`,
          [
            connection_id,
            collectionRetryDelayMs(failed_attempts + 1, { maxMs: maxRetryDelayMs }),
            grantId,
            JSON.stringify(connectionErrorOfClient),
          ],
        );
      }
      await manager.query(
        `UPDATE health_system_grant SET client_problem = $2,
           client_problem_since = coalesce(client_problem_since, now()) WHERE grant_id = $1`,
        [grantId, problem],
      );
      if (!isRepeated) await recordRefreshFailure(manager, grantId, `client_${problem}`);
    });
  }

  /** At most one log entry per minute and health system. */
  #logOnce(host: string, problem: ClientProblem): void {
    const now = Date.now();
    if (now - (this.#loggedAt.get(host) ?? 0) < logEveryMs) return;
    this.#loggedAt.set(host, now);
    this.log.error({ host, problem }, messages[problem]);
  }
}

/** After a change of a registration: refreshes and collections that were postponed by a client problem are due now. */
export async function retryClientProblems(database: DataSource): Promise<void> {
  await database.query(
    `UPDATE health_system_grant SET next_refresh_at = NULL, refresh_failures = 0, refusal_probes = 0
     WHERE client_problem IS NOT NULL`,
  );
  await database.query(
    `UPDATE connection c SET retry_at = NULL, enqueue_at = now(), enqueue_attempts = 0 FROM health_system_grant g
     WHERE g.grant_id = c.grant_id AND g.client_problem IS NOT NULL AND c.status = 'collecting'
       AND c.retry_at IS NOT NULL`,
  );
}

export interface HealthSystemProblem {
  health_system_id: string;
  health_system_name: string;
  fhir_base_url: string;
  problem: ClientProblem | 'not_available';
  connections: number;
  since: Date;
}

/**
 * Health systems with postponed collections: the operator must act, or the health system is unavailable. Oldest first.
 */
export async function listProblems(database: DataSource): Promise<HealthSystemProblem[]> {
  return (await database.query(
    `SELECT c.health_system_id, min(c.health_system_name) AS health_system_name, c.fhir_base_url,
       coalesce(g.client_problem, 'not_available') AS problem,
       count(*)::int AS connections, min(coalesce(g.client_problem_since, c.failing_since)) AS since
     FROM connection c JOIN health_system_grant g ON g.grant_id = c.grant_id
     WHERE c.status <> 'revoked' AND (g.client_problem IS NOT NULL
       OR (c.status = 'collecting' AND c.failing_since IS NOT NULL))
     GROUP BY 1, 3, 4 ORDER BY since`,
  )) as HealthSystemProblem[];
}
