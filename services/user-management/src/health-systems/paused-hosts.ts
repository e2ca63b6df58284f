import { type PausedHost, healthSystemPausedCode } from '@tributary/contracts';
import { HttpError } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import { changedRows } from '../database/changed-rows';

/** SQL for the host of a URL as `URL.host` has it: in lower case, and with its port unless that is the default one. */
export function hostOf(url: string): string {
  return `regexp_replace(lower(substring(${url} from '^[^:]+://(?:[^/?#@]*@)?([^/?#]*)')),
    CASE WHEN ${url} ~* '^https:' THEN ':443$' ELSE ':80$' END, '')`;
}

/** SQL condition: the host of this URL is paused. While none is, it costs nothing per row. */
export function isHostPaused(url: string): string {
  return `(EXISTS (SELECT FROM paused_host) AND ${hostOf(url)} IN (SELECT host FROM paused_host))`;
}

/** SQL condition: it holds for the FHIR base or the token endpoint of a row of `connection`. */
function isAt(connection: string, condition: (url: string) => string): string {
  return `(${condition(`${connection}.fhir_base_url`)} OR EXISTS (SELECT FROM health_system_grant at_grant
    WHERE at_grant.grant_id = ${connection}.grant_id AND ${condition('at_grant.token_endpoint')}))`;
}

/** SQL condition: the FHIR base or the token endpoint of a row of `connection` is on a paused host. */
export function isConnectionPaused(connection: string): string {
  return `(EXISTS (SELECT FROM paused_host) AND ${isAt(connection, isHostPaused)})`;
}

/** The response to the worker for a connection to a paused host. */
export function healthSystemPaused(): HttpError {
  return new HttpError(healthSystemPausedCode, 'the operator has paused all requests to this health system');
}

/**
 * Hosts to which nothing is sent: no collection and no token request. Their connections wait, with the status that they
 * have. The rows are read by every statement that starts a request, so all replicas obey them at once.
 */
export class PausedHosts {
  constructor(private readonly database: DataSource) {}

  /** Pauses a host, or replaces the reason of one that is paused. */
  async pause(host: string, reason: string): Promise<void> {
    await this.database.query(
      `INSERT INTO paused_host (host, reason) VALUES ($1, $2) ON CONFLICT (host) DO UPDATE SET reason = excluded.reason`,
      [host, reason],
    );
  }

  /**
   * Lets the collections of a host continue at once. The time of the pause does not count as a time of failures.
   * @returns whether the host was paused
   */
  async resume(host: string): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const resumed = await changedRows(manager, 'DELETE FROM paused_host WHERE host = $1 RETURNING host', [host]);
      await manager.query(
        `UPDATE connection c SET retry_at = NULL, enqueue_at = now(), enqueue_attempts = 0, heartbeat_at = NULL,
           failing_since = NULL
         WHERE status = 'collecting' AND ${isAt('c', (url) => `${hostOf(url)} = $1`)}`,
        [host],
      );
      return resumed.length > 0;
    });
  }

  async list(): Promise<PausedHost[]> {
    const rows = (await this.database.query(
      `SELECT p.host, p.reason, p.paused_at, (
         SELECT count(*)::int FROM connection c
         WHERE c.status = 'collecting' AND ${isAt('c', (url) => `${hostOf(url)} = p.host`)}) AS waiting
       FROM paused_host p ORDER BY p.paused_at, p.host`,
    )) as (Omit<PausedHost, 'paused_at'> & { paused_at: Date })[];
    return rows.map((row) => ({ ...row, paused_at: row.paused_at.toISOString() }));
  }

  async includeAny(urls: readonly string[]): Promise<boolean> {
    const hosts = urls.flatMap((url) => (URL.canParse(url) ? new URL(url).host : []));
    const [found] = (await this.database.query(
      'SELECT EXISTS (SELECT FROM paused_host WHERE host = ANY ($1)) AS paused',
      [hosts],
    )) as { paused: boolean }[];
    return found?.paused ?? false;
  }
}
