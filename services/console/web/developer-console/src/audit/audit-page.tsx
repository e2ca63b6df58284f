import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useId, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Member } from '../api/answers';
import { asClient, keys, useMembers } from '../api/queries';
import { call } from '../api/request';
import { type ClientPageProps, OfClient } from '../clients/of-client';
import { Skeleton } from '../components/answer';
import { AsCurl } from '../components/curl';
import { DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { Failure, Notice } from '../components/notice';
import { Time } from '../components/time';
import { mayChangeClients } from '../organisations/roles';
import { countText } from '../text';
import { EventPanel } from './event-panel';
import {
  type AuditEvent,
  agentText,
  actionWords,
  kindGroups,
  kindText,
  outcomes,
  requestorOf,
  services,
  subjectOf,
} from './event-words';
import { OutcomeOf } from './outcome';
import { type Filters, filterNames, filtersOf, searchOf, searchPath } from './search';

interface Outcome {
  resourceType: 'OperationOutcome';
  issue: { code: string; diagnostics?: string }[];
}
interface Bundle {
  link: { relation: string; url: string }[];
  entry?: { resource: ({ resourceType: 'AuditEvent' } & AuditEvent) | Outcome }[];
}

/** Who has accessed what of a client and its users. */
export function AuditPage(): ReactNode {
  return (
    <OfClient title="Audit log">
      {(props) =>
        mayChangeClients(props.organisation.role) ? (
          <AuditLog {...props} />
        ) : (
          <Notice>The events name users, so that owners and developers see them only.</Notice>
        )
      }
    </OfClient>
  );
}

function AuditLog({ client, organisation }: ClientPageProps): ReactNode {
  const [parameters, setParameters] = useSearchParams();
  const filters = filtersOf(parameters);
  const path = searchOf(filters);
  const members = useMembers(organisation.id);
  const names = new Map((members.data?.entry ?? []).map(({ account_id: id, name }) => [id, name]));
  const log = useInfiniteQuery({
    queryKey: [...keys.audit(client.client_id), path],
    queryFn: ({ pageParam }) => call<Bundle>('GET', asClient(client.client_id, 'base', pageParam)),
    initialPageParam: path,
    getNextPageParam: ({ link }) => {
      const next = link.find(({ relation }) => relation === 'next')?.url;
      return next === undefined ? undefined : searchPath + new URL(next).search;
    },
  });
  const resources = log.data?.pages.flatMap(({ entry = [] }) => entry.map(({ resource }) => resource)) ?? [];
  const events = resources.filter((resource) => resource.resourceType === 'AuditEvent');
  const opened = events.find(({ id }) => id === parameters.get('event'));
  const change = (changes: Record<string, string | undefined>): void => {
    const next = new URLSearchParams(parameters);
    for (const [name, value] of Object.entries(changes))
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    setParameters(next);
  };
  return (
    <>
      <FilterForm
        key={path}
        filters={filters}
        members={members.data?.entry ?? []}
        apply={(chosen) => change({ ...chosen, event: undefined })}
      />
      {log.error && <Failure error={log.error} retry={() => void log.refetch()} />}
      {!log.data && !log.error && <Skeleton lines={8} />}
      {events.length > 0 && (
        <DataTable
          caption="Events"
          rows={events}
          keyOf={({ id }) => id}
          open={({ id }) => change({ event: id })}
          columns={[
            { header: 'Time', cell: ({ recorded }) => <Time iso={recorded} /> },
            {
              header: 'Event',
              cell: (event) => (
                <>
                  {kindText(event)}
                  {event.outcome !== '0' && (
                    <span className="narrow-only">
                      <OutcomeOf outcome={event.outcome} />
                    </span>
                  )}
                </>
              ),
            },
            {
              header: 'Who',
              cell: (event) => {
                const agent = requestorOf(event);
                return agent ? agentText(agent, names, client.name) : '';
              },
              isWideOnly: true,
            },
            { header: 'About user', cell: (event) => subjectOf(event) ?? '', isNumber: true, isWideOnly: true },
            { header: 'Outcome', cell: ({ outcome }) => <OutcomeOf outcome={outcome} />, isWideOnly: true },
          ]}
        />
      )}
      {log.data && (
        <More
          count={events.length}
          outcomes={log.data.pages
            .at(-1)
            ?.entry?.flatMap(({ resource }) => (resource.resourceType === 'OperationOutcome' ? resource.issue : []))}
          isFiltered={Object.keys(filters).length > 0}
          hasNext={log.hasNextPage}
          isReading={log.isFetchingNextPage}
          goOn={() => void log.fetchNextPage()}
          showAll={() => setParameters({})}
        />
      )}
      <AsCurl clientId={client.client_id} api="base_url" path={path} />
      {opened && (
        <EventPanel
          key={opened.id}
          event={opened}
          names={names}
          client={client}
          organisationId={organisation.id}
          close={() => change({ event: undefined })}
        />
      )}
    </>
  );
}

interface MoreProps {
  count: number;
  /** The issues of the last page. */
  outcomes: Outcome['issue'] | undefined;
  isFiltered: boolean;
  hasNext: boolean;
  isReading: boolean;
  goOn: () => void;
  showAll: () => void;
}

/** What the last page says about the rest of the log. */
function More({ count, outcomes: issues = [], isFiltered, hasNext, isReading, goOn, showAll }: MoreProps): ReactNode {
  const incomplete = issues.find(({ code }) => code === 'incomplete');
  const reached = issues.map(({ diagnostics = '' }) => /^searched back to (\S+)/.exec(diagnostics)?.[1]).find(Boolean);
  return (
    <>
      {incomplete && <Notice kind="warning">Events may be missing: {incomplete.diagnostics}.</Notice>}
      {hasNext ? (
        <div className="pages">
          <span className="muted" role="status">
            {reached === undefined ? (
              `${countText(count, 'event')} so far.`
            ) : (
              <>
                {count === 0 ? 'No event found yet' : `${countText(count, 'event')} so far`}: searched back to{' '}
                <Time iso={reached} />. Older events may match: go on.
              </>
            )}
          </span>
          <button type="button" aria-disabled={isReading} onClick={() => !isReading && goOn()}>
            {reached === undefined ? 'Show older events' : 'Go on'}
          </button>
        </div>
      ) : count > 0 ? (
        <p className="muted">{countText(count, 'event')}, the whole log.</p>
      ) : isFiltered ? (
        <Empty title="No event matches">
          <p>The whole log was searched. Take a filter away, or choose a longer time.</p>
          <button type="button" onClick={showAll}>
            Show all events
          </button>
        </Empty>
      ) : (
        <Empty title="There is no event yet">
          <p>
            Everything that this application and its users do with records is recorded here, within seconds: who, when,
            on whose record, and whether it was allowed.
          </p>
        </Empty>
      )}
    </>
  );
}

interface FilterFormProps {
  filters: Filters;
  members: readonly Member[];
  apply: (filters: Record<string, string | undefined>) => void;
}

function FilterForm({ filters, members, apply }: FilterFormProps): ReactNode {
  const id = useId();
  const count = Object.keys(filters).length;
  // On a phone they would hide the events.
  const [isOpen, setOpen] = useState(() => matchMedia('(min-width: 40rem)').matches);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    apply(Object.fromEntries(filterNames.map((name) => [name, String(data.get(name) ?? '').trim()])));
  };
  const select = (name: keyof Filters, label: string, options: ReactNode): ReactNode => (
    <div>
      <label htmlFor={id + name}>{label}</label>
      <select id={id + name} name={name} defaultValue={filters[name] ?? ''}>
        <option value="">All</option>
        {options}
      </select>
    </div>
  );
  const time = (name: 'from' | 'to', label: string): ReactNode => (
    <div>
      <label htmlFor={id + name}>{label}</label>
      <input id={id + name} name={name} type="datetime-local" defaultValue={filters[name] ?? ''} />
    </div>
  );
  const user = (name: 'user' | 'about', label: string): ReactNode => (
    <div>
      <label htmlFor={id + name}>{label}</label>
      <input
        id={id + name}
        name={name}
        inputMode="numeric"
        pattern="[0-9]*"
        placeholder="service_user_id"
        autoComplete="off"
        defaultValue={filters[name] ?? ''}
      />
    </div>
  );
  const optionsOf = (words: Readonly<Record<string, string>>, prefix = ''): ReactNode =>
    Object.entries(words).map(([value, text]) => (
      <option key={value} value={prefix + value}>
        {text}
      </option>
    ));
  return (
    <search>
      <details className="filters-box" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Filters{count > 0 && ` (${count} set)`}</summary>
        <form className="filters" onSubmit={submit}>
          {time('from', 'From')}
          {time('to', 'Until')}
          {select(
            'kind',
            'Event',
            kindGroups.map(({ group, kinds }) => (
              <optgroup key={group} label={group}>
                {optionsOf(kinds)}
              </optgroup>
            )),
          )}
          {select(
            'who',
            'Developer or service',
            <>
              <optgroup label="Developers">
                {optionsOf(Object.fromEntries(members.map(({ account_id, name }) => [account_id, name])), 'developer:')}
              </optgroup>
              <optgroup label="Services">{optionsOf(services, 'service:')}</optgroup>
            </>,
          )}
          {user('user', 'Done by user')}
          {user('about', 'About user')}
          {select('action', 'Action', optionsOf(actionWords))}
          {select(
            'outcome',
            'Outcome',
            optionsOf(Object.fromEntries(Object.entries(outcomes).map(([code, { words }]) => [code, words]))),
          )}
          <div className="filters-end">
            <button type="submit">Search</button>
            {count > 0 && (
              <button
                type="button"
                className="link"
                onClick={() => apply(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
              >
                Show all
              </button>
            )}
          </div>
        </form>
      </details>
    </search>
  );
}
