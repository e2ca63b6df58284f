import type { Finding, VerifiedCounts } from '@tributary/audit-log';
import {
  type AuditVerificationLine,
  auditState,
  auditVerificationLine,
  listedCheckpoints,
  listedStreamDays,
  listedStreams,
  maxListedFindings,
  operatorAuditVerification,
} from '@tributary/contracts';
import {
  Api,
  type ApiAudit,
  HttpError,
  type ServiceKeys,
  clientSignal,
  serviceErrorFormat,
  serviceKeyAuthentication,
} from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { AuditBlocks } from '../blocks/audit-blocks';
import { listCheckpoints, listStreams } from '../commands/list-log';
import { printable } from '../commands/printable';
import type { LogConfig } from '../config';
import { lastCounts } from '../verification/last-counts';
import { inTurn, readVerification, takeTurn, verificationIntervalHours } from '../verification/verification-turn';
import { timeText, verifyAndAlarm } from '../verification/verify-log';

export interface OperatorDependencies {
  pool: Pool;
  config: LogConfig & { SERVICE_KEYS: ServiceKeys };
  blocks: AuditBlocks;
  audit: ApiAudit;
  log: Logger;
}

const [dayMs, intervalMs, progressEveryMs] = [86_400_000, verificationIntervalHours * 3_600_000, 1000];

/** The internal API for operators in the console. No answer has an event. Its client is `OperatorAuditClient`. */
export function operatorApi({ pool, config, blocks, audit, log }: OperatorDependencies): Api {
  const authentication = serviceKeyAuthentication(config.SERVICE_KEYS, ['console']);
  const api = new Api({
    title: 'audit-log, internal',
    description: 'For operators in the console.',
    serverUrl: '',
    errorFormat: serviceErrorFormat,
    log,
    audit,
    documentation: { serviceKeys: config.SERVICE_KEYS },
  });

  api.route(
    {
      method: 'get',
      path: '/internal/v1/operator/audit',
      operationId: 'operatorReadAudit',
      summary: 'The periodic verification, the newest checkpoints, and the processes that have recorded events',
      authentication,
      audit: { none: 'the console records what an operator reads, which is no event' },
      responses: { 200: { description: 'The state of now.', schema: auditState } },
    },
    async () => {
      const { verifiedAt, isRunning, now } = await readVerification(pool);
      const isVerified = verifiedAt !== undefined;
      return {
        verification: {
          verified_at: isVerified ? timeText(verifiedAt) : null,
          counts: (isVerified && (await lastCounts(blocks, verifiedAt))) || null,
          is_running: isRunning,
          due_at: isVerified && now < verifiedAt + intervalMs ? timeText(verifiedAt + intervalMs) : null,
          is_overdue: isVerified && now > verifiedAt + 2 * intervalMs,
        },
        checkpoints: (await listCheckpoints(pool, listedCheckpoints)).map(({ number, at, streams, hash, key }) => ({
          number,
          at,
          streams,
          hash,
          key,
        })),
        streams: (await listStreams(pool, listedStreamDays, listedStreams)).map(
          ({ stream, service, writtenBy, instance, started, blocks, last }) => ({
            stream,
            service: printable(service),
            role: writtenBy,
            instance: printable(instance),
            started,
            blocks,
            last,
          }),
        ),
      };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/internal/v1/operator/audit/verifications',
      operationId: 'operatorVerifyAudit',
      summary: 'Detect changed, deleted and truncated events',
      authentication,
      audit: { kind: 'audit.verified', action: 'E' },
      isSafe: true,
      body: operatorAuditVerification,
      responses: {
        200: {
          description: `A line of JSON for each second of progress, for each of the first ${maxListedFindings} findings, and for the result.`,
          schema: auditVerificationLine,
          contentType: 'application/x-ndjson',
        },
        409: {
          description: 'A replica verifies it: the periodic verification, or that of an operator, is running.',
          codes: ['verification_running'],
        },
      },
    },
    async ({ body: { days, contents, operator }, response, audit: note }) => {
      const query = `audit verify${days === undefined ? '' : ` of ${days} days`}${contents ? ' --contents' : ''}`;
      note({ operator, entities: [{ query }] });
      // One that takes hours reads all blocks: one at a time, of all replicas, is enough.
      const turn = await takeTurn(pool, 0, false);
      if (!turn)
        throw new HttpError('verification_running', 'a verification is running, periodic or not: wait for its end');
      response.type('application/x-ndjson');
      const write = (line: AuditVerificationLine): void => void response.write(`${JSON.stringify(line)}\n`);
      let soFar: VerifiedCounts = { streams: 0, blocks: 0, events: 0, checkpoints: 0, findings: 0 };
      // Parts that count nothing last for minutes, such as that of the anchors: proxies end a silent response.
      const progress = setInterval(() => write({ line: 'progress', ...soFar }), progressEveryMs);
      let listed = 0;
      try {
        const { counts, outcome } = await inTurn(pool, turn, 'on demand', () =>
          verifyAndAlarm(pool, config, log, {
            from: days === undefined ? undefined : Date.now() - days * dayMs,
            contents,
            signal: clientSignal(response),
            onFinding: (finding) => {
              if (listed++ < maxListedFindings) write(findingOf(finding));
            },
            onProgress: (counts) => {
              soFar = counts;
            },
          }),
        );
        note({ outcome, entities: [{ query, counts: { ...counts } satisfies VerifiedCounts }] });
        write({ line: 'result', ...counts });
      } finally {
        clearInterval(progress);
      }
      response.end();
      return undefined;
    },
  );
  return api;
}

function findingOf({ streamId, sequence, at, ...finding }: Finding): AuditVerificationLine {
  return {
    line: 'finding',
    ...finding,
    ...(streamId === undefined ? {} : { stream: streamId }),
    ...(sequence === undefined ? {} : { block: sequence }),
    ...(at === undefined ? {} : { at: timeText(at) }),
  };
}
