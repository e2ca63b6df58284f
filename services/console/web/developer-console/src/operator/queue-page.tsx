import type { CollectionQueueState } from '@tributary/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { keys } from '../api/queries';
import { call } from '../api/request';
import { Answer } from '../components/answer';
import { DataTable } from '../components/data-table';
import { Notice } from '../components/notice';
import { Page } from '../components/page';
import { Status } from '../components/status';
import { ReadAt } from '../components/time';
import { ageText, numberText, timeText } from '../text';
import { OfOperator } from './of-operator';
import { ByCommand } from './search-list';

/** How often the counts are read again, in milliseconds. */
const everyMs = 15_000;

/** What the collection of records waits for. */
export function OperatorQueue(): ReactNode {
  return (
    <OfOperator>
      <Queue />
    </OfOperator>
  );
}

function Queue(): ReactNode {
  const state = useQuery({
    queryKey: keys.operator('queue'),
    queryFn: () => call<CollectionQueueState>('GET', 'operator/queue'),
    refetchInterval: everyMs,
  });
  return (
    <Page title="Queue">
      <Answer query={state} lines={10}>
        {({ jobs, hosts, connections }) => (
          <>
            <section>
              <h2>Collections in the queue</h2>
              {jobs ? (
                <dl className="facts">
                  <dt>Waiting</dt>
                  <dd>{numberText(jobs.waiting)}</dd>
                  <dt>Being collected</dt>
                  <dd>{numberText(jobs.active)}</dd>
                  <dt>Delayed</dt>
                  <dd>{numberText(jobs.delayed)}, for their turn at the host or to be tried again</dd>
                  <dt>Failed</dt>
                  <dd>{numberText(jobs.failed)}</dd>
                  <dt>Oldest waiting</dt>
                  <dd>
                    {jobs.oldest_waiting_at === null
                      ? 'None'
                      : `${ageText(jobs.oldest_waiting_at)}, since ${timeText(jobs.oldest_waiting_at)}`}
                  </dd>
                </dl>
              ) : (
                <Notice kind="bad">
                  Redis is not available, so the queue is not known. Collections are added again when it is back.
                </Notice>
              )}
            </section>
            <section>
              <h2>Hosts with most collections</h2>
              {hosts.length === 0 ? (
                <p className="muted">No collection is waiting or in progress.</p>
              ) : (
                <DataTable
                  caption="Hosts with most collections"
                  rows={hosts}
                  keyOf={({ host }) => host}
                  columns={[
                    {
                      header: 'Host',
                      cell: ({ host, is_paused: isPaused }) => (
                        <>
                          <code>{host}</code>
                          {isPaused && (
                            <span className="second-line">
                              <Status kind="warning">Paused</Status>
                            </span>
                          )}
                        </>
                      ),
                    },
                    { header: 'Collections', cell: ({ collections }) => numberText(collections), isNumber: true },
                    { header: 'To be retried', cell: ({ retrying }) => numberText(retrying), isNumber: true },
                  ]}
                />
              )}
            </section>
            <section>
              <h2>Connections by status</h2>
              <dl className="facts">
                {Object.entries(statuses).map(([status, name]) => (
                  <Count key={status} name={name} count={connections[status as keyof typeof statuses] ?? 0} />
                ))}
              </dl>
            </section>
            <p className="muted">
              <ReadAt at={state.dataUpdatedAt} /> The counts are read again every 15 seconds.
            </p>
            <ByCommand command="connection problems" what="list the health systems whose connections wait or fail" />
          </>
        )}
      </Answer>
    </Page>
  );
}

const statuses = {
  collecting: 'Collecting',
  active: 'Active',
  needs_reauthorization: 'Users must sign in again',
  failed: 'Failed',
  revoked: 'Disconnected',
} as const;

function Count({ name, count }: { name: string; count: number }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{numberText(count)}</dd>
    </>
  );
}
