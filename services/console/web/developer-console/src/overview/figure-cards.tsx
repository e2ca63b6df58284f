import type { Activity, ActivityCounts, ActivityFailures } from '@tributary/contracts';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../components/data-table';
import { countText, dayText, numberText, units } from '../text';
import { type Bar, Bars, DayChart } from './charts';
import { acceptedShare, failureCount, failureReasons, failureRows, sumOf, trendOf, withOthers } from './figures';

export interface ChartProps {
  activity: Activity;
  /** The days of twice the period. */
  before: Activity['days'] | undefined;
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

export function Collections({ activity: { total, days }, before }: ChartProps): ReactNode {
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

export function Resources({ activity: { total }, before }: ChartProps): ReactNode {
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

export function Failures({ activity, before }: ChartProps): ReactNode {
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

export function Webhooks({ activity: { total, days }, before }: ChartProps): ReactNode {
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
          <Latency values={total.webhook_ms} text={millisecondsText} noun="Answer of your server" />
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
                cell: ({ webhook_ms: values }) => (values ? millisecondsText(values.p50) : '–'),
                isNumber: true,
              },
              {
                header: '95 % within',
                cell: ({ webhook_ms: values }) => (values ? millisecondsText(values.p95) : '–'),
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

const millisecondsText = (value: number): string =>
  value < 1000 ? `${value}\u00A0ms` : `${numberText(value / 1000)}\u00A0s`;

function durationText(value: number): string {
  const { seconds, short } = units.find((unit) => value >= unit.seconds) ?? units[3];
  return `${numberText(Math.round((10 * value) / seconds) / 10)}\u00A0${short}`;
}
