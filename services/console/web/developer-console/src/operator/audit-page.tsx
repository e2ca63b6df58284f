import type { AuditState } from '@tributary/contracts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { keys, useAnswer } from '../api/queries';
import { Answer } from '../components/answer';
import { DataTable } from '../components/data-table';
import { Notice } from '../components/notice';
import { Page } from '../components/page';
import { Status } from '../components/status';
import { ReadAt, Time } from '../components/time';
import { ageText, countText, numberText } from '../text';
import { AuditVerification, RowTime, countsText } from './audit-verification';
import { OfOperator } from './of-operator';
import { ByCommand } from './search-list';

/** Whether the audit log is complete and unchanged. */
export function OperatorAudit(): ReactNode {
  return (
    <OfOperator>
      <Audit />
    </OfOperator>
  );
}

function Audit(): ReactNode {
  const found = useAnswer<AuditState>(keys.operator('audit'), 'operator/audit');
  return (
    <Page
      title="Audit log"
      actions={
        <button type="button" onClick={() => void found.refetch()}>
          Look again
        </button>
      }
    >
      <section>
        <h2>Daily verification</h2>
        <Answer query={found}>{({ verification }) => <Periodic {...verification} />}</Answer>
        {found.error && (
          <p className="muted">
            The service audit-log was asked: see its state at <Link to="/operator/services">Services</Link>.
          </p>
        )}
      </section>
      <section>
        <h2>Verify now</h2>
        <AuditVerification />
      </section>
      {found.data && (
        <>
          <Checkpoints checkpoints={found.data.checkpoints} />
          <Streams streams={found.data.streams} />
          <p className="muted">
            <ReadAt at={found.dataUpdatedAt} />
          </p>
        </>
      )}
    </Page>
  );
}

type Verification = AuditState['verification'];

function Periodic(verification: Verification): ReactNode {
  const { verified_at: at, counts, is_running: isRunning, due_at: dueAt, is_overdue: isOverdue } = verification;
  return (
    <>
      <p>{statusOf(verification)}</p>
      {counts !== null && counts.findings > 0 && (
        <Notice kind="bad">
          {countText(counts.findings, 'problem')} found: verify now to list {counts.findings === 1 ? 'it' : 'them'}, and
          follow the runbook “The audit log was changed”.
        </Notice>
      )}
      {isOverdue && (
        <Notice kind="warning">
          The last one ended more than two days ago: audit-log does not run, or it fails. Look at its log.
        </Notice>
      )}
      <dl className="facts">
        <dt>Last ended</dt>
        <dd>
          {at === null ? (
            'Not yet'
          ) : (
            <>
              {ageText(at)} ago, at <Time iso={at} />
            </>
          )}
        </dd>
        {at !== null && (
          <>
            <dt>Verified</dt>
            <dd>{counts === null ? 'Its event was not found in the audit log: verify now.' : countsText(counts)}</dd>
          </>
        )}
        <dt>Next</dt>
        <dd>{isRunning ? 'A verification runs now' : dueAt === null ? 'Due now' : <Time iso={dueAt} />}</dd>
      </dl>
    </>
  );
}

function statusOf({ verified_at: at, counts, is_running: isRunning, is_overdue: isOverdue }: Verification): ReactNode {
  if (at === null)
    return isRunning ? (
      <Status kind="waiting">A verification runs</Status>
    ) : (
      <Status kind="warning">Not verified yet</Status>
    );
  if (counts !== null && counts.findings > 0) return <Status kind="bad">Changed</Status>;
  if (isOverdue) return <Status kind="warning">Overdue</Status>;
  return counts === null ? (
    <Status kind="warning">Result not known</Status>
  ) : (
    <Status kind="good">Complete and unchanged</Status>
  );
}

function Checkpoints({ checkpoints }: Pick<AuditState, 'checkpoints'>): ReactNode {
  return (
    <section>
      <h2>Checkpoints</h2>
      {checkpoints.length === 0 ? (
        <p className="muted">There is none yet: audit-log signs one each minute in which events were recorded.</p>
      ) : (
        <DataTable
          caption="Newest signed checkpoints"
          rows={checkpoints}
          keyOf={({ number }) => String(number)}
          columns={[
            {
              header: 'Checkpoint',
              cell: ({ number, at }) => (
                <>
                  {number}
                  <span className="second-line">
                    <RowTime at={at} />
                  </span>
                </>
              ),
            },
            {
              header: 'Streams',
              cell: ({ streams }) => (streams === undefined ? 'Not readable' : numberText(streams)),
              isNumber: true,
              isWideOnly: true,
            },
            { header: 'Hash', cell: ({ hash }) => <code title={hash}>{hash.slice(0, 16)}…</code> },
            { header: 'Key', cell: ({ key }) => <code>{key}</code>, isWideOnly: true },
          ]}
        />
      )}
      <ByCommand command="audit checkpoints --json" what="list checkpoints with their hashes and signatures" />
      <ByCommand command="audit anchor" what="print the newest one, to keep it outside of the database" />
    </section>
  );
}

function Streams({ streams }: Pick<AuditState, 'streams'>): ReactNode {
  return (
    <section>
      <h2>Processes of the last 7 days</h2>
      {streams.length === 0 ? (
        <p className="muted">No process has begun to record events in these days.</p>
      ) : (
        <DataTable
          caption="Processes that record events, newest first"
          rows={streams}
          keyOf={({ stream }) => stream}
          columns={[
            {
              header: 'Process',
              cell: ({ service, instance, role, started, last }) => (
                <>
                  {service}
                  <span className="second-line">
                    {instance}, role {role}
                  </span>
                  <span className="second-line">
                    since <RowTime at={started} />
                  </span>
                  {last !== null && (
                    <span className="second-line narrow-only">
                      last block <RowTime at={last} />
                    </span>
                  )}
                </>
              ),
            },
            { header: 'Blocks', cell: ({ blocks }) => numberText(blocks), isNumber: true },
            {
              header: 'Last block',
              cell: ({ last }) => (last === null ? 'None' : <RowTime at={last} />),
              isWideOnly: true,
            },
          ]}
        />
      )}
      <ByCommand command="audit streams" what="list more of them" />
    </section>
  );
}
