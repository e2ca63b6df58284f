import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import type { AuthorizationRequest } from './connect-session';
import { type ScopeFallback, scopeFallbacks } from './scopes';

const lifeHours = 24;

/**
 * Which step of `scopesToRequest` a health system accepted after it had refused others (table `accepted_scope_step`),
 * so that the next user begins with it. It is forgotten after a day: the health system may accept more by then.
 */
export class AcceptedScopeFallbacks {
  constructor(private readonly database: DataSource) {}

  /** @param clientId the `client_id` of our registration at the health system */
  async find(fhirBaseUrl: string, clientId: string): Promise<(typeof scopeFallbacks)[number] | undefined> {
    const [row] = (await this.database.query(
      'SELECT step FROM accepted_scope_step WHERE fhir_base_url = $1 AND client_id = $2 AND expires_at > now()',
      [fhirBaseUrl, clientId],
    )) as { step: string }[];
    return scopeFallbacks.find((step) => step === row?.step);
  }

  /**
   * Of concurrent calls the last one counts. A repeated step keeps its expiry, so that it is forgotten in time. A
   * failure is logged: the next user then begins with the first step.
   */
  async save({ endpoints, clientId }: AuthorizationRequest, step: ScopeFallback, log: Logger): Promise<void> {
    await this.database
      .query(
        `INSERT INTO accepted_scope_step AS a (fhir_base_url, client_id, step, expires_at)
         VALUES ($1, $2, $3, now() + $4 * interval '1 hour')
         ON CONFLICT (fhir_base_url, client_id) DO UPDATE SET step = excluded.step, expires_at = excluded.expires_at
         WHERE a.step <> excluded.step OR a.expires_at <= now()`,
        [endpoints[0].fhir_base_url, clientId, step, lifeHours],
      )
      .catch((error: unknown) => log.warn({ err: describeError(error) }, 'the accepted scopes were not remembered'));
  }
}
