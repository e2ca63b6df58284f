import type { Pool } from 'pg';
import type { ExportCaller } from '../callers/export-caller';
import { type FileDescription, factsOf } from '../files/file-description';

/** How many resources, by type and release: `{"Observation r4": 60}`. */
export type ResourceCounts = Record<string, number>;

export type AccessOutcome = 'done' | 'broken off' | 'refused' | 'failed';

/** An export or a download, as it begins. */
export interface Access {
  requestId: string;
  action: 'export' | 'asynchronous export' | 'download' | 'cancellation';
  caller: ExportCaller;
  resources?: ResourceCounts;
}

const insert = `
INSERT INTO access (request_id, action, client_id, service_user_id, resources, outcome, ended_at)
VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $6 = 'begun' THEN NULL ELSE clock_timestamp() END) RETURNING access_id`;

const finish = `UPDATE access SET outcome = $2, bytes = $3, resources = coalesce($4, resources), ended_at = clock_timestamp() WHERE access_id = $1`;

/** A few at a time, so that no sweep takes long. $1 days */
const removeOld = `DELETE FROM access WHERE access_id IN (SELECT access_id FROM access WHERE began_at < now() - $1 * interval '1 day' ORDER BY began_at LIMIT 5000)`;

/**
 * The record of every export and download: who, whose data, which types, how many, and what became of it. Nothing is given out that
 * could not be recorded first; one that stays `begun` was cut off by the end of the process.
 */
export class Accesses {
  constructor(private readonly pool: Pool) {}

  /** Records what is over at once. */
  async record(access: Access, outcome: AccessOutcome): Promise<void> {
    await this.#insert(access, outcome);
  }

  /** Removes some of what began longer ago than so many days. */
  async removeOlderThan(days: number): Promise<void> {
    await this.pool.query(removeOld, [days]);
  }

  /** Records the beginning of something. */
  async begin(access: Access): Promise<BegunAccess> {
    const id = await this.#insert(access, 'begun');
    return {
      end: async (outcome, { bytes, resources } = {}) => {
        await this.pool.query(finish, [id, outcome, bytes ?? null, resources ? JSON.stringify(resources) : null]);
      },
    };
  }

  async #insert(
    { requestId, action, caller, resources = {} }: Access,
    outcome: AccessOutcome | 'begun',
  ): Promise<string> {
    const { rows } = await this.pool.query<{ access_id: string }>(insert, [
      requestId,
      action,
      caller.clientId,
      caller.serviceUserId ?? null,
      JSON.stringify(resources),
      outcome,
    ]);
    return rows[0]!.access_id;
  }
}

export interface BegunAccess {
  end(outcome: AccessOutcome, facts?: { bytes?: number; resources?: ResourceCounts }): Promise<void>;
}

/** What these files hold. */
export function countsOf(files: readonly FileDescription[]): ResourceCounts {
  const counts: ResourceCounts = {};
  for (const { type, release, count } of files.map(factsOf))
    counts[`${type} ${release}`] = (counts[`${type} ${release}`] ?? 0) + count;
  return counts;
}
