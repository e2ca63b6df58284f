import type { ExportedRecords } from '@tributary/record-storage';
import type { Authentication, RouteLimit } from '@tributary/service-kit';
import type { AuditLog } from './audit/audit-log';
import type { ExportCaller } from './callers/export-caller';
import type { FileTokens } from './files/file-tokens';
import type { ExportJobs } from './jobs/export-jobs';
import type { PlanningQueue } from './jobs/planning-queue';
import type { ExportPlanner } from './planning/plan-export';
import type { Snapshots } from './snapshots/snapshots';

/** What the routes of the API and the planning of asynchronous exports share. */
export interface Dependencies {
  caller: Authentication<ExportCaller>;
  limits: Readonly<Record<'export' | 'download' | 'status', RouteLimit[]>>;
  records: ExportedRecords;
  snapshots: Snapshots;
  planner: ExportPlanner;
  jobs: ExportJobs;
  queue: PlanningQueue;
  auditLog: AuditLog;
  fileTokens: FileTokens;
  /** {analytics_url} */
  analyticsUrl: string;
  /** What an export without `Prefer: respond-async` may read. */
  synchronous: { readonly maxBlocks: number; readonly maxBytes: number };
  /** Milliseconds without progress after which a download is aborted. */
  stallTimeoutMs: number;
}
