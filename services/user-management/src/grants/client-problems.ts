import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { retryPauseMs } from '../collection/retry-pause';
import { lockUser } from './delete-grants';
import type { ClientProblem, Grant } from './grant';

const longestPauseMs = 6 * 3_600_000;
const logEveryMs = 60_000;

const messages: Record<ClientProblem, string> = {
  not_registered: 'our client is not registered at this health system: use `registration set`',
  refused: 'the health system refuses the credentials of our client: correct them by `registration set`',
};

/** Health systems that do not accept our client: kept for the operator (`connection problems`); nobody else hears of it. */
export class ClientProblems {
  readonly #loggedAt = new Map<string, number>();

  constructor(
    private readonly source: DataSource,
    private readonly log: Logger,
  ) {}

  /** Notes the problem; collections under way go on later. The next refresh that succeeds clears it. */
  async note({ grantId, serviceUserId, fhirBaseUrl }: Grant, problem: ClientProblem): Promise<void> {
    this.#logOnce(new URL(fhirBaseUrl).host, problem);
    await this.source.transaction(async (manager) => {
      await lockUser(manager, serviceUserId);
      const waiting = (await manager.query(
        `SELECT connection_id, failed_attempts FROM connection WHERE grant_id = $1 AND status = 'collecting' AND retry_at IS NULL ORDER BY connection_id FOR UPDATE`,
        [grantId],
      )) as { connection_id: string; failed_attempts: number }[];
      for (const { connection_id, failed_attempts } of waiting) {
        await manager.query(
          `UPDATE connection SET failed_attempts = failed_attempts + 1, heartbeat_at = NULL, queue_checks = 0,
             retry_at = now() + $2 * interval '1 millisecond', queue_at = now() + $2 * interval '1 millisecond' WHERE connection_id = $1`,
          [connection_id, retryPauseMs(failed_attempts + 1, { longestMs: longestPauseMs })],
        );
      }
      await manager.query(
        'UPDATE health_system_grant SET client_problem = $2, client_problem_since = coalesce(client_problem_since, now()) WHERE grant_id = $1',
        [grantId, problem],
      );
    });
  }

  /** One line a minute for each health system, however many users it has. */
  #logOnce(host: string, problem: ClientProblem): void {
    const now = Date.now();
    if (now - (this.#loggedAt.get(host) ?? 0) < logEveryMs) return;
    this.#loggedAt.set(host, now);
    this.log.error({ host, problem }, messages[problem]);
  }
}

/** After a registration changed: collections that wait for it go on now. */
export async function retryClientProblems(source: DataSource): Promise<void> {
  await source.query(
    `UPDATE connection c SET retry_at = NULL, queue_at = now(), queue_checks = 0 FROM health_system_grant g
     WHERE g.grant_id = c.grant_id AND g.client_problem IS NOT NULL AND c.status = 'collecting' AND c.retry_at IS NOT NULL`,
  );
}

export interface ProblemOfHealthSystem {
  health_system_id: string;
  health_system_name: string;
  fhir_base_url: string;
  problem: ClientProblem | 'not_available';
  connections: number;
  since: Date;
}

/** Health systems whose connections wait: for the operator, or for the health system. Oldest first. */
export async function listProblems(source: DataSource): Promise<ProblemOfHealthSystem[]> {
  return (await source.query(
    `SELECT c.health_system_id, min(c.health_system_name) AS health_system_name, c.fhir_base_url, coalesce(g.client_problem, 'not_available') AS problem,
       count(*)::int AS connections, min(coalesce(g.client_problem_since, c.failing_since)) AS since
     FROM connection c JOIN health_system_grant g ON g.grant_id = c.grant_id
     WHERE c.status <> 'revoked' AND (g.client_problem IS NOT NULL OR (c.status = 'collecting' AND c.failing_since IS NOT NULL))
     GROUP BY 1, 3, 4 ORDER BY since`,
  )) as ProblemOfHealthSystem[];
}
