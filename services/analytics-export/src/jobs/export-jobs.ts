import { type ErrorCode, isErrorCode } from '@tributary/contracts';
import { randomUUID } from 'node:crypto';
import { JsonSealer, type SealerSecret } from '@tributary/key-vault';
import { HttpError } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { ExportCaller } from '../callers/export-caller';
import type { PlanState } from '@tributary/record-storage';
import type { ExportPlan } from '../planning/plan-export';
import type { ExportRequest } from '../requests/export-request';

const insert = `INSERT INTO export_job (job_id, client_id, service_user_id, state, snapshot, sealed_request) VALUES ($1, $2, $3, 'accepted', $4, $5)`;
const select = `SELECT job_id, client_id, service_user_id, state, snapshot, progress, error, error_code FROM export_job WHERE job_id = $1`;
const markPlanning = `UPDATE export_job SET state = 'planning', progress = $2, touched_at = now() WHERE job_id = $1 AND state IN ('accepted', 'planning')`;
const saveCheckpoint = `UPDATE export_job SET sealed_checkpoint = $2, touched_at = now() WHERE job_id = $1 AND state IN ('accepted', 'planning')`;
const countUnfinished = `SELECT count(*) FROM export_job WHERE client_id = $1 AND service_user_id IS NOT DISTINCT FROM $2 AND state IN ('accepted', 'planning')`;
const markFinished = `UPDATE export_job SET state = 'finished', sealed_plan = $2, sealed_checkpoint = NULL, touched_at = now(), report_due_at = now() WHERE job_id = $1 AND state IN ('accepted', 'planning')`;
const markFailed = `UPDATE export_job SET state = 'failed', error_code = $2, error = $3, touched_at = now(), report_due_at = now() WHERE job_id = $1 AND state IN ('accepted', 'planning')`;
const remove = `DELETE FROM export_job WHERE job_id = $1 AND client_id = $2 AND service_user_id IS NOT DISTINCT FROM $3`;
/** $1 client_id, $2 the snapshots before which are expired, $3 limit, $4 offset, $5 service_user_id */
const listOf = (isOfUser: boolean): string => `
SELECT job_id, client_id, service_user_id, state, snapshot, progress, error, error_code, created_at, sealed_request
FROM export_job WHERE ${ofCaller(isOfUser, '$5')} AND snapshot > $2
ORDER BY created_at DESC, job_id DESC LIMIT $3 OFFSET $4`;
const countOf = (isOfUser: boolean): string =>
  `SELECT count(*) FROM export_job WHERE ${ofCaller(isOfUser, '$3')} AND snapshot > $2`;
/** `IS NOT DISTINCT FROM` would not use the index of the list. */
const ofCaller = (isOfUser: boolean, userId: string): string =>
  `client_id = $1 AND service_user_id ${isOfUser ? `= ${userId}` : 'IS NULL'}`;
const removeExpired = `DELETE FROM export_job WHERE snapshot < $1`;
const takeStalled = `
UPDATE export_job SET touched_at = now()
WHERE job_id IN (
  SELECT job_id FROM export_job WHERE state IN ('accepted', 'planning') AND touched_at < now() - $1 * interval '1 second'
  ORDER BY touched_at LIMIT 200 FOR UPDATE SKIP LOCKED)
RETURNING job_id`;

/** $1 limit */
const takeUnreported = `
UPDATE export_job SET report_due_at = now() + interval '60 seconds'
WHERE job_id IN (SELECT job_id FROM export_job WHERE report_due_at <= now() ORDER BY report_due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING job_id, client_id, service_user_id, state, snapshot, progress, error, error_code`;
const markReported = `UPDATE export_job SET report_due_at = NULL WHERE job_id = $1`;

/** The request of an asynchronous export. */
export interface JobRequest {
  /** The whole address. */
  address: string;
  request: ExportRequest;
}

/** An asynchronous export. */
export interface ExportJob {
  id: string;
  caller: ExportCaller;
  /** Its snapshot time, exclusive, taken at the request: the next export with `_since` begins there. */
  at: number;
  state: 'accepted' | 'planning' | 'finished' | 'failed';
  /** Of the planning, in percent. */
  progress: number;
  /** Why it has failed. */
  failure?: HttpError;
}

/** An export in the list of those of its caller. */
export interface ListedJob extends ExportJob {
  createdAt: Date;
  request: ExportRequest;
}

/** Bytes of a plan as JSON. */
const maxBytes = 256 * 1024 * 1024;

interface JobRow {
  job_id: string;
  client_id: string;
  service_user_id: string | null;
  state: ExportJob['state'];
  snapshot: string;
  progress: number;
  error: string | null;
  error_code: string | null;
}

/**
 * The asynchronous exports (table export_job). PostgreSQL is the source of truth, the queue a means to start them soon.
 */
export class ExportJobs {
  readonly #sealer: JsonSealer;

  /** @param secret the same for all replicas */
  constructor(
    private readonly pool: Pool,
    secret: string | SealerSecret,
  ) {
    this.#sealer = new JsonSealer({ secret, use: 'asynchronous exports', deflateFromBytes: 0, maxBytes });
  }

  async create(caller: ExportCaller, at: number, request: JobRequest): Promise<string> {
    const id = randomUUID();
    await this.pool.query(insert, [
      id,
      caller.clientId,
      caller.serviceUserId ?? null,
      at,
      this.#sealer.seal(request, `request ${id}`),
    ]);
    return id;
  }

  async find(id: string): Promise<ExportJob | undefined> {
    const { rows } = await this.pool.query<JobRow>(select, [id]);
    return rows[0] && readJob(rows[0]);
  }

  /**
   * The exports of the caller, newest first.
   * @param after exports with an older snapshot have expired, in epoch milliseconds
   */
  async list(
    { clientId, serviceUserId }: ExportCaller,
    after: number,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ total: number; jobs: ListedJob[] }> {
    const isOfUser = serviceUserId !== undefined;
    const user = isOfUser ? [serviceUserId] : [];
    const [{ rows }, { rows: counted }] = await Promise.all([
      this.pool.query<JobRow & { created_at: Date; sealed_request: Buffer }>(listOf(isOfUser), [
        clientId,
        after,
        limit,
        offset,
        ...user,
      ]),
      this.pool.query<{ count: string }>(countOf(isOfUser), [clientId, after, ...user]),
    ]);
    return {
      total: Number(counted[0]?.count),
      jobs: rows.map((row) => ({
        ...readJob(row),
        createdAt: row.created_at,
        request: this.#listedRequest(row),
      })),
    };
  }

  /** Without parameters where it cannot be opened, so that the other exports are listed. */
  #listedRequest({ job_id: id, sealed_request: sealed }: { job_id: string; sealed_request: Buffer }): ExportRequest {
    try {
      return (this.#sealer.open(sealed, `request ${id}`) as JobRequest).request;
    } catch {
      return {};
    }
  }

  /** The request of the job; undefined when the job no longer exists. */
  async requestOf(id: string): Promise<JobRequest | undefined> {
    return (await this.#sealed(id, 'request')) as JobRequest | undefined;
  }

  /** The files of a finished job. */
  async planOf(id: string): Promise<ExportPlan | undefined> {
    return (await this.#sealed(id, 'plan')) as ExportPlan | undefined;
  }

  /** The last checkpoint of an unfinished job. */
  async checkpointOf(id: string): Promise<PlanState | undefined> {
    return (await this.#sealed(id, 'checkpoint')) as PlanState | undefined;
  }

  /** @returns false when the job is deleted or done */
  async saveCheckpoint(id: string, state: PlanState): Promise<boolean> {
    return this.#changes(saveCheckpoint, [id, this.#sealer.seal(state, `checkpoint ${id}`)]);
  }

  /** How many exports of the caller are not finished. */
  async unfinishedOf({ clientId, serviceUserId }: ExportCaller): Promise<number> {
    const { rows } = await this.pool.query<{ count: string }>(countUnfinished, [clientId, serviceUserId ?? null]);
    return Number(rows[0]?.count);
  }

  /** Records a heartbeat and the progress in percent. @returns false when the job is deleted or done */
  async touch(id: string, progress: number): Promise<boolean> {
    return this.#changes(markPlanning, [id, progress]);
  }

  /** @returns false when the job is deleted or done */
  async finish(id: string, plan: ExportPlan): Promise<boolean> {
    return this.#changes(markFinished, [id, this.#sealer.seal(plan, `plan ${id}`)]);
  }

  /** @param error a sentence for the caller, without values of theirs */
  async fail(id: string, code: ErrorCode, error: string): Promise<boolean> {
    return this.#changes(markFailed, [id, code, error]);
  }

  /** Deletes the caller's job, finished or not. @returns false when there is none */
  async remove(id: string, { clientId, serviceUserId }: ExportCaller): Promise<boolean> {
    return this.#changes(remove, [id, clientId, serviceUserId ?? null]);
  }

  async removeSnapshotsBefore(at: number): Promise<void> {
    await this.pool.query(removeExpired, [at]);
  }

  /** Takes unfinished jobs without a heartbeat for this number of seconds. A job goes to one replica. */
  async takeStalled(seconds: number): Promise<string[]> {
    const { rows } = await this.pool.query<{ job_id: string }>(takeStalled, [seconds]);
    return rows.map(({ job_id }) => job_id);
  }

  /**
   * Takes ended jobs whose end is not reported. A job goes to one replica, and is due again after a minute unless
   * `markReported` is called.
   */
  async takeUnreported(limit: number): Promise<ExportJob[]> {
    return (await this.pool.query<JobRow>(takeUnreported, [limit])).rows.map(readJob);
  }

  async markReported(id: string): Promise<void> {
    await this.pool.query(markReported, [id]);
  }

  async #sealed(id: string, what: 'request' | 'plan' | 'checkpoint'): Promise<unknown> {
    const { rows } = await this.pool.query<{ sealed: Buffer | null }>(
      `SELECT sealed_${what} AS sealed FROM export_job WHERE job_id = $1`,
      [id],
    );
    const sealed = rows[0]?.sealed;
    return sealed ? this.#sealer.open(sealed, `${what} ${id}`) : undefined;
  }

  async #changes(statement: string, values: unknown[]): Promise<boolean> {
    return ((await this.pool.query(statement, values)).rowCount ?? 0) > 0;
  }
}

function readJob({
  client_id: clientId,
  service_user_id: userId,
  state,
  error,
  error_code: code,
  ...row
}: JobRow): ExportJob {
  const caller = { clientId, ...(userId === null ? {} : { serviceUserId: Number(userId) }) };
  const job = { id: row.job_id, caller, at: Number(row.snapshot), state, progress: row.progress };
  if (state !== 'failed') return job;
  const errorCode = code !== null && isErrorCode(code) ? code : 'export_failed';
  return { ...job, failure: new HttpError(errorCode, error ?? 'the export failed') };
}
