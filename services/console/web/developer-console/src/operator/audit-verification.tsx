import type { AuditCounts, AuditVerificationLine } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { lines } from '../api/request';
import { DataTable } from '../components/data-table';
import { Failure, Notice } from '../components/notice';
import { Time } from '../components/time';
import { useLastSignal } from '../components/use-last-signal';
import { countText, numberText, sentence } from '../text';
import { Filter } from './filter';
import { ByCommand } from './search-list';

type Finding = Extract<AuditVerificationLine, { line: 'finding' }>;

interface Run {
  state: 'running' | 'stopped' | 'ended' | 'failed';
  counts?: AuditCounts;
  findings: readonly Finding[];
}

const periods = { '2': 'The last 2 days', '30': 'The last 30 days', all: 'All' } as const;

/** Verifies the audit log, and shows what is found as it goes on. It ends when the page is left. */
export function AuditVerification(): ReactNode {
  const [period, setPeriod] = useState('2');
  const [run, setRun] = useState<Run>();
  const [failure, setFailure] = useState<unknown>();
  const verification = useLastSignal();

  const verify = async (): Promise<void> => {
    const signal = verification.begin();
    setFailure(undefined);
    setRun({ state: 'running', findings: [] });
    try {
      const body = period === 'all' ? {} : { days: Number(period) };
      for await (const line of lines<AuditVerificationLine>('operator/audit/verifications', body, signal)) {
        if (signal.aborted) return;
        setRun((before) => withLine(before, line));
      }
      // A connection that breaks ends the lines as well.
      setRun((before) => before && { ...before, state: before.state === 'ended' ? 'ended' : 'failed' });
    } catch (error) {
      if (signal.aborted) return;
      setFailure(error);
      setRun((before) => before && { ...before, state: 'failed' });
    }
  };
  const stop = (): void => {
    verification.end();
    setRun((before) => before && { ...before, state: 'stopped' });
  };

  return (
    <>
      <p className="muted">
        Detects changed, deleted and truncated events: every block of the period is opened, and every checkpoint is
        compared. It ends when you leave this page; the command does not.
      </p>
      <Filter label="Period" options={periods} value={period} choose={setPeriod} />
      <div className="button-row">
        <button type="button" className="primary" disabled={run?.state === 'running'} onClick={() => void verify()}>
          Verify now
        </button>
        {run?.state === 'running' && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </div>
      {failure !== undefined && <Failure error={failure} />}
      {run?.state === 'running' && (
        <p className="muted">
          Verifying: {run.counts ? countsText(run.counts) : 'the tables and their rights'} so far…
        </p>
      )}
      {run?.state === 'failed' && failure === undefined && (
        <Notice kind="bad">
          The verification ended without a result. Look at the log of audit-log, and try again.
        </Notice>
      )}
      <div role="status" aria-live="polite">
        {run && resultOf(run)}
      </div>
      {run && run.findings.length > 0 && <Findings {...run} />}
      <ByCommand command="audit verify --contents" what="verify all of it, with anchors of your own by --anchor" />
    </>
  );
}

function withLine(before: Run | undefined, line: AuditVerificationLine): Run {
  const { findings = [] } = before ?? {};
  if (line.line === 'finding') return { ...before, state: 'running', findings: [...findings, line] };
  return { state: line.line === 'result' ? 'ended' : 'running', findings, counts: line };
}

function resultOf({ state, counts }: Run): ReactNode {
  if (state === 'stopped') return <p className="muted">Stopped{counts && ` after ${countsText(counts)}`}.</p>;
  if (state !== 'ended' || !counts) return null;
  return counts.findings === 0 ? (
    <Notice kind="good">{countsText(counts)}: complete and unchanged.</Notice>
  ) : (
    <Notice kind="bad">
      {countsText(counts)}: {countText(counts.findings, 'problem')}. Follow the runbook “The audit log was changed”.
    </Notice>
  );
}

function Findings({ findings, counts }: Run): ReactNode {
  const others = (counts?.findings ?? 0) - findings.length;
  return (
    <div className="findings">
      <DataTable
        caption="Problems"
        rows={findings}
        // The findings of a verification are only appended to.
        keyOf={(finding) => String(findings.indexOf(finding))}
        columns={[
          {
            header: 'Problem',
            cell: (finding) => (
              <>
                {sentence(finding.problem).slice(0, -1)}
                <span className="second-line">{placeOf(finding)}</span>
                {finding.at !== undefined && (
                  <span className="second-line narrow-only">
                    <RowTime at={finding.at} />
                  </span>
                )}
              </>
            ),
          },
          { header: 'Time', cell: ({ at }) => at !== undefined && <RowTime at={at} />, isWideOnly: true },
        ]}
      />
      {others > 0 && <p className="muted">{countText(others, 'more problem')}, which the command lists.</p>}
    </div>
  );
}

function placeOf({ stream, block, checkpoint, partition, object }: Finding): string {
  const place = [
    stream !== undefined && `stream ${stream}`,
    block !== undefined && `block ${block}`,
    checkpoint !== undefined && `checkpoint ${checkpoint}`,
    partition !== undefined && `partition ${partition}`,
    object,
  ].filter((part) => part !== false && part !== undefined);
  return place.length === 0 ? '' : sentence(place.join(', ')).slice(0, -1);
}

/** Such as "3 streams, 70 blocks with 900 events and 12 checkpoints". */
export function countsText({ streams, blocks, events, checkpoints }: AuditCounts): string {
  return `${countText(streams, 'stream')}, ${countText(blocks, 'block')} with ${numberText(events)} events and ${countText(checkpoints, 'checkpoint')}`;
}

/** The time of a row that somebody may have changed to one that no date has. */
export function RowTime({ at }: { at: string }): ReactNode {
  return Number.isNaN(Date.parse(at)) ? at : <Time iso={at} />;
}
