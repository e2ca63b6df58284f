import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Activity, ActivityCounts, ActivityFailures, UserEntry } from '@tributary/contracts';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { asClient, keys, useAnswer, usersPath } from '../api/queries';
import { call } from '../api/request';
import { OfClient, type ClientPageProps } from '../clients/of-client';
import { Answer } from '../components/answer';
import { CodeBlock } from '../components/code-block';
import { AsCurl, curlOf } from '../components/curl';
import { type Column, DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { mayChangeClients } from '../organisations/roles';
import { countText, dayText, numberText, units } from '../text';
import { type Bar, Bars, DayChart } from './charts';
import {
  type Period,
  acceptedShare,
  failureCount,
  failureReasons,
  failureRows,
  isEmpty,
  periods,
  sumOf,
  trendOf,
  withOthers,
} from './figures';

const pathOf = (days: number): string => `connect/v1/activity?days=${days}`;

/** What happened to the users of a client in the last days, in counts. */
export function OverviewPage(): ReactNode {
  return (
    <OfClient title="Overview" actions={() => <PeriodSwitch />}>
      {(props) => <Overview {...props} />}
    </OfClient>
  );
}

function usePeriod(): Period {
  const [parameters] = useSearchParams();
  return periods.find((period) => String(period) === parameters.get('days')) ?? 30;
}

function PeriodSwitch(): ReactNode {
  const current = usePeriod();
  return (
    <nav className="periods" aria-label="Period">
      {periods.map((period) => (
        <Link key={period} to={`?days=${period}`} replace aria-current={period === current ? 'true' : undefined}>
          {period} days
        </Link>
      ))}
    </nav>
  );
}

function useActivity(clientId: string, days: number, isEnabled = true) {
  return useQuery({
    queryKey: [...keys.activity(clientId), days],
    queryFn: () => call<Activity>('GET', asClient(clientId, 'base', pathOf(days))),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  });
}

function Overview({ client, organisation }: ClientPageProps): ReactNode {
  const period = usePeriod();
  const activity = useActivity(client.client_id, period);
  // The period before, where the counts are kept for as long.
  const isCompared = 2 * period <= 90;
  const { data: compared } = useActivity(client.client_id, 2 * period, isCompared);
  const before = isCompared && compared?.days.length === 2 * period ? compared.days : undefined;
  return (
    <Answer query={activity} lines={12}>
      {(answer) => (
        <>
          {isEmpty(answer.total) ? (
            <NothingYet
              clientId={client.client_id}
              period={answer.days.length}
              mayConnect={mayChangeClients(organisation.role)}
              look={() => void activity.refetch()}
            />
          ) : (
            // The figures of the period before stay while the chosen one is read.
            <div className={activity.isPlaceholderData ? 'dimmed' : undefined} aria-busy={activity.isPlaceholderData}>
              <Figures activity={answer} before={before} />
            </div>
          )}
          <AsCurl clientId={client.client_id} api="base_url" path={pathOf(period)} />
        </>
      )}
    </Answer>
  );
}

interface ChartProps {
  activity: Activity;
  /** The days of twice the period. */
  before: Activity['days'] | undefined;
}

function Figures(props: ChartProps): ReactNode {
  const { new_connections: connections } = props.activity.total;
  return (
    <>
      <p className="muted">
        {countText(connections, 'new connection')} of users to health systems. Days are those of UTC, and today is not
        over.
      </p>
      <div className="charts">
        <Collections {...props} />
        <Resources {...props} />
        <Failures {...props} />
        <Webhooks {...props} />
      </div>
    </>
  );
}

interface CardProps {
  title: string;
  /** The number of the period. */
  figure: string;
  trend: ReactNode;
  children: ReactNode;
}

function Card({ title, figure, trend, children }: CardProps): ReactNode {
  return (
    <section className="card chart" aria-label={title}>
      <h2>{title}</h2>
      <p className="figure">
        <strong>{figure}</strong>
        {trend && <span className="muted">{trend}</span>}
      </p>
      {children}
    </section>
  );
}

/** How a count of each day has changed. */
function trendText(before: Activity['days'] | undefined, countOf: (day: ActivityCounts) => number): string | undefined {
  const trend = before && trendOf(before.map(countOf));
  if (trend === undefined || before === undefined) return undefined;
  const change = Math.round(Math.abs(100 * trend));
  const against = `in the ${before.length / 2} days before`;
  if (change === 0) return `as many a day as ${against}`;
  return `${numberText(change)}\u00A0% ${trend > 0 ? 'more' : 'fewer'} a day than ${against}`;
}

function Collections({ activity: { total, days }, before }: ChartProps): ReactNode {
  return (
    <Card
      title="Collections"
      figure={numberText(sumOf(total.collections))}
      trend={trendText(before, ({ collections }) => sumOf(collections))}
    >
      <DayChart
        label="Collections"
        days={days.map(({ day }) => day)}
        series={[
          { name: 'Complete', look: 'whole', counts: days.map(({ collections }) => collections.complete) },
          { name: 'Incomplete', look: 'part', counts: days.map(({ collections }) => collections.incomplete) },
          { name: 'Failed', look: 'none', counts: days.map(({ collections }) => collections.failed) },
        ]}
      />
      <Latency values={total.collection_seconds} text={durationText} noun="Duration" />
      <Table
        caption="Collections per day"
        rows={days.toReversed()}
        keyOf={({ day }) => day}
        columns={[
          { header: 'Day', cell: ({ day }) => dayText(day) },
          { header: 'Complete', cell: ({ collections }) => numberText(collections.complete), isNumber: true },
          { header: 'Incomplete', cell: ({ collections }) => numberText(collections.incomplete), isNumber: true },
          { header: 'Failed', cell: ({ collections }) => numberText(collections.failed), isNumber: true },
          {
            header: 'Half within',
            cell: ({ collection_seconds: values }) => (values ? durationText(values.p50) : '–'),
            isNumber: true,
          },
          {
            header: '95 % within',
            cell: ({ collection_seconds: values }) => (values ? durationText(values.p95) : '–'),
            isNumber: true,
          },
        ]}
      />
    </Card>
  );
}

function Resources({ activity: { total }, before }: ChartProps): ReactNode {
  const types = Object.entries(total.resources)
    .map(([type, count]) => ({ type, count }))
    .sort((one, other) => other.count - one.count);
  const { first, others } = withOthers(types, 7);
  return (
    <Card
      title="New or changed resources"
      figure={numberText(sumOf(total.resources))}
      trend={trendText(before, ({ resources }) => sumOf(resources))}
    >
      {types.length === 0 ? (
        <p className="muted">None were stored.</p>
      ) : (
        <>
          <Bars
            label="Resources by type"
            bars={[
              ...first.map(({ type, count }) => ({ key: type, name: type, count })),
              ...othersBar(others, (rest) => countText(rest, 'other type')),
            ]}
          />
          <Table
            caption="Resources by type"
            rows={types}
            keyOf={({ type }) => type}
            columns={[
              { header: 'Type', cell: ({ type }) => type },
              { header: 'New or changed', cell: ({ count }) => numberText(count), isNumber: true },
            ]}
          />
        </>
      )}
    </Card>
  );
}

const failureNames: Record<keyof ActivityFailures, string> = {
  connects: 'Connect',
  refreshes: 'Refresh of access',
  collections: 'Collection',
  types_refused: 'Type refused',
};

function Reason({ kind, reason }: { kind: keyof ActivityFailures; reason: string }): ReactNode {
  return (
    <>
      {failureNames[kind]}: <code>{reason}</code>
    </>
  );
}

function Failures({ activity, before }: ChartProps): ReactNode {
  const reasons = withOthers(failureReasons(activity.total.failures), 5);
  const systems = withOthers(
    activity.health_systems.map(({ health_system: { id, name }, failures }) => ({
      id,
      name,
      count: failureCount(failures),
    })),
    5,
  );
  const { count: unnamed, failures: ofUnnamed } = activity.other_health_systems;
  const others =
    systems.others || unnamed > 0
      ? {
          entries: (systems.others?.entries ?? 0) + unnamed,
          count: (systems.others?.count ?? 0) + failureCount(ofUnnamed),
        }
      : undefined;
  const count = failureCount(activity.total.failures);
  return (
    <Card
      title="Failures"
      figure={numberText(count)}
      trend={trendText(before, ({ failures }) => failureCount(failures))}
    >
      {count === 0 ? (
        <p className="muted">Nothing failed, and no health system refused a type.</p>
      ) : (
        <>
          <h3>By reason</h3>
          <Bars
            label="Failures by reason"
            bars={[
              ...reasons.first.map(({ kind, reason, count: each }) => ({
                key: `${kind} ${reason}`,
                name: <Reason kind={kind} reason={reason} />,
                count: each,
              })),
              ...othersBar(reasons.others, (rest) => countText(rest, 'other reason')),
            ]}
          />
          <h3>By health system</h3>
          <Bars
            label="Failures by health system"
            bars={[
              ...systems.first.map(({ id, name, count: each }) => ({ key: String(id), name, count: each })),
              ...othersBar(others, (rest) => countText(rest, 'other health system')),
            ]}
          />
          <Table
            caption="Failures by health system and reason"
            rows={failureRows(activity)}
            keyOf={({ system, kind, reason }) => `${system?.id} ${kind} ${reason}`}
            columns={[
              { header: 'Health system', cell: ({ system }) => system?.name ?? 'All others' },
              { header: 'Failures', cell: ({ count: each }) => numberText(each), isNumber: true },
              { header: 'Reason', cell: (row) => <Reason {...row} /> },
            ]}
          />
        </>
      )}
    </Card>
  );
}

function Webhooks({ activity: { total, days }, before }: ChartProps): ReactNode {
  const share = acceptedShare(total);
  return (
    <Card
      title="Webhooks accepted"
      figure={share === undefined ? 'None yet' : percentText(share)}
      trend={
        share !== undefined &&
        [
          countText(sumOf(total.webhooks), 'delivery', 'deliveries'),
          trendText(before, ({ webhooks }) => sumOf(webhooks)),
        ]
          .filter(Boolean)
          .join(', ')
      }
    >
      {share === undefined ? (
        <p className="muted">
          Events are sent to the endpoints on the page Webhooks, and count once they are accepted or given up.
        </p>
      ) : (
        <>
          <DayChart
            label="Deliveries of webhooks"
            days={days.map(({ day }) => day)}
            series={[
              {
                name: 'Accepted at first',
                look: 'whole',
                counts: days.map(({ webhooks }) => webhooks.delivered_at_first),
              },
              { name: 'Accepted later', look: 'part', counts: days.map(({ webhooks }) => webhooks.delivered_later) },
              { name: 'Not accepted', look: 'none', counts: days.map(({ webhooks }) => webhooks.failed) },
            ]}
          />
          <Latency values={total.webhook_ms} text={millidurationText} noun="Answer of your server" />
          <Table
            caption="Deliveries of webhooks per day"
            rows={days.toReversed()}
            keyOf={({ day }) => day}
            columns={[
              { header: 'Day', cell: ({ day }) => dayText(day) },
              { header: 'At first', cell: ({ webhooks }) => numberText(webhooks.delivered_at_first), isNumber: true },
              { header: 'Later', cell: ({ webhooks }) => numberText(webhooks.delivered_later), isNumber: true },
              { header: 'Not accepted', cell: ({ webhooks }) => numberText(webhooks.failed), isNumber: true },
              {
                header: 'Half within',
                cell: ({ webhook_ms: values }) => (values ? millidurationText(values.p50) : '–'),
                isNumber: true,
              },
              {
                header: '95 % within',
                cell: ({ webhook_ms: values }) => (values ? millidurationText(values.p95) : '–'),
                isNumber: true,
              },
            ]}
          />
        </>
      )}
    </Card>
  );
}

function othersBar(others: { entries: number; count: number } | undefined, name: (entries: number) => string): Bar[] {
  return others ? [{ key: '', name: name(others.entries), count: others.count }] : [];
}

function Latency({
  values,
  text,
  noun,
}: {
  values: { p50: number; p95: number } | null;
  text: (value: number) => string;
  noun: string;
}): ReactNode {
  return (
    values && (
      <p className="latency">
        {noun}: half within <strong>{text(values.p50)}</strong>, 95&nbsp;% within <strong>{text(values.p95)}</strong>.
      </p>
    )
  );
}

/** The figures of a chart, to be opened. */
function Table<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}): ReactNode {
  return (
    <details className="curl">
      <summary>
        As a table<span className="hidden">: {props.caption}</span>
      </summary>
      <DataTable {...props} />
    </details>
  );
}

const percentText = (share: number): string =>
  // 99.99 % is not all of them.
  `${numberText(share === 1 ? 100 : Math.min(99.9, Math.round(share * 1000) / 10))}\u00A0%`;

const millidurationText = (value: number): string =>
  value < 1000 ? `${value}\u00A0ms` : `${numberText(value / 1000)}\u00A0s`;

function durationText(value: number): string {
  const { seconds, short } = units.find((unit) => value >= unit.seconds) ?? units[3];
  return `${numberText(Math.round((10 * value) / seconds) / 10)}\u00A0${short}`;
}

/** What to do before anything can be counted: with the id of a user, a command that connects this user. */
function NothingYet({
  clientId,
  period,
  mayConnect,
  look,
}: {
  clientId: string;
  period: number;
  mayConnect: boolean;
  look: () => void;
}): ReactNode {
  const users = useAnswer<{ entry: UserEntry[] }>(
    [...keys.users(clientId), 'first', 1],
    asClient(clientId, 'base', `${usersPath}?limit=1`),
  );
  const user = users.data?.entry[0]?.service_user_id;
  const of = { clientId, api: 'base_url', method: 'POST' } as const;
  return (
    <Empty title={`Nothing has happened in the last ${period} days`}>
      <p>
        This page counts what happens once users connect health systems: the collections of their records, what they
        store, what fails and why, and the webhooks that tell your server.
      </p>
      {mayConnect ? (
        <Answer query={users}>
          {() => (
            <>
              <p>
                {user === undefined
                  ? 'Begin with a user. Set CLIENT_SECRET in your shell, and run:'
                  : `Connect a health system. This makes a link for the user ${user}, which you open in a browser. Set CLIENT_SECRET in your shell, and run:`}
              </p>
              <CodeBlock
                text={curlOf(
                  user === undefined
                    ? { ...of, path: usersPath, body: { app_user_id: 'first-user' } }
                    : { ...of, path: 'connect/v1/links', body: { service_user_id: user } },
                )}
                what="the command"
              />
              <button
                type="button"
                onClick={() => {
                  look();
                  void users.refetch();
                }}
              >
                Look again
              </button>
            </>
          )}
        </Answer>
      ) : (
        <p className="muted">Owners and developers connect users.</p>
      )}
    </Empty>
  );
}
