import { z } from 'zod';
import type { CallContext, InternalHttp } from '../http/internal-http';
import { operatorId } from './common';

const count = z.int().min(0);
/** Somebody may have changed a row so that its time is none. */
const rowTime = z.string().describe('ISO 8601, unless the row was changed.');

const verifiedCounts = z.object({
  streams: count,
  blocks: count,
  events: count,
  checkpoints: count,
  findings: count.describe('Problems.'),
});
export type AuditCounts = z.infer<typeof verifiedCounts>;

/** Lists of the operator have so many of the newest ones. */
export const [listedCheckpoints, listedStreams, listedStreamDays] = [20, 100, 7];

const signedCheckpoint = z.object({
  number: z.number(),
  at: rowTime,
  streams: count.optional().describe('Absent: the row was changed so that it cannot be read.'),
  hash: z.string(),
  key: z.string().describe('The id of the key that has signed it.'),
});
const auditStream = z.object({
  stream: z.string(),
  service: z.string(),
  role: z.string().describe('The role of PostgreSQL that has written it.'),
  instance: z.string().describe('Host and process id.'),
  started: rowTime,
  blocks: z.number(),
  last: rowTime.nullable().describe('When its last block was made.'),
});

/** The state of the audit log, without its events. */
export const auditState = z
  .object({
    verification: z
      .object({
        verified_at: z.iso.datetime().nullable().describe('When the last one ended.'),
        counts: verifiedCounts
          .nullable()
          .describe('Of the last one, by its event in the audit log; null where that is not found.'),
        is_running: z.boolean().describe('This one, or that of an operator, is running.'),
        due_at: z.iso.datetime().nullable().describe('Null: it is due.'),
        is_overdue: z.boolean().describe('The last one ended more than two intervals ago.'),
      })
      .describe('The periodic verification.'),
    checkpoints: z.array(signedCheckpoint).max(listedCheckpoints).describe('The newest first.'),
    streams: z
      .array(auditStream)
      .max(listedStreams)
      .describe(`Processes that began to record events in the last ${listedStreamDays} days, the newest first.`),
  })
  .meta({ id: 'AuditState' });
export type AuditState = z.infer<typeof auditState>;

/** What of the audit log is verified. */
export const auditVerification = z.strictObject({
  days: z.int().min(1).max(3650).optional().describe('The blocks of the last days; absent: the whole log.'),
  contents: z
    .boolean()
    .default(true)
    .describe('Opens every block as well: only the process of its stream can have written it.'),
});
export const operatorAuditVerification = auditVerification.extend({ operator: operatorId });

/** Further findings are counted only. */
export const maxListedFindings = 100;

export const auditVerificationLine = z
  .discriminatedUnion('line', [
    z.object({ line: z.literal('progress'), ...verifiedCounts.shape }),
    z.object({
      line: z.literal('finding'),
      problem: z.string(),
      stream: z.string().optional(),
      block: z.number().optional(),
      checkpoint: z.number().optional(),
      partition: z.string().optional(),
      object: z.string().optional().describe('Of the schema, and its table.'),
      at: rowTime.optional(),
    }),
    z.object({ line: z.literal('result'), ...verifiedCounts.shape }),
  ])
  .meta({ id: 'AuditVerificationLine' });
export type AuditVerificationLine = z.infer<typeof auditVerificationLine>;

/** A line comes each second. */
const silenceMs = 60_000;

/**
 * Typed calls to the internal API of audit-log, which only operators use in the console.
 * @throws InternalCallError from every method when audit-log does not respond with 2xx
 */
export class OperatorAuditClient {
  constructor(private readonly http: InternalHttp) {}

  state(context: CallContext = {}): Promise<AuditState> {
    return this.http.call({ method: 'GET', path: '/internal/v1/operator/audit', response: auditState, ...context });
  }

  /**
   * Verifies the audit log, with a line for each second of progress, each of the first findings, and the result.
   * @throws InternalCallError with the code `verification_running`
   */
  verify(
    verification: z.input<typeof operatorAuditVerification>,
    context: CallContext = {},
  ): AsyncGenerator<AuditVerificationLine> {
    return this.http.lines({
      method: 'POST',
      path: '/internal/v1/operator/audit/verifications',
      body: verification,
      response: auditVerificationLine,
      timeoutMs: silenceMs,
      ...context,
    });
  }
}
