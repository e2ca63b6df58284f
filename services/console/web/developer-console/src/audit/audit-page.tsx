import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { type ChangeEvent, type ReactNode, type SubmitEvent, useId, useState } from 'react';
import type { Member } from '../api/answers';
import { asClient, keys, useMembers } from '../api/queries';
import { call } from '../api/request';
import { type ClientPageProps, OfClient } from '../clients/of-client';
import { Skeleton } from '../components/answer';
import { AsCurl } from '../components/curl';
import { DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { Failure, Notice } from '../components/notice';
import { ShowMore } from '../components/show-more';
import { Time } from '../components/time';
import { useParameters } from '../components/use-parameters';
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
import { type Filters, filterNames, filtersOf, instantOf, localOf, searchOf, searchPath } from './search';

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
  const [parameters, change] = useParameters();
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
  const apply = (chosen: Filters): void =>
    change({ event: undefined, ...Object.fromEntries(filterNames.map((name) => [name, chosen[name]])) });
  return (
    <>
      <FilterForm filters={filters} search={path} members={members.data?.entry ?? []} apply={apply} />
      <div className="button-row">
        <button type="button" className="small" onClick={() => void log.refetch()}>
          Look again
        </button>
      </div>
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
      <More
        log={log}
        count={events.length}
        outcomes={log.data?.pages
          .at(-1)
          ?.entry?.flatMap(({ resource }) => (resource.resourceType === 'OperationOutcome' ? resource.issue : []))}
        isFiltered={Object.keys(filters).length > 0}
        showAll={() => apply({})}
      />
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
  log: UseInfiniteQueryResult;
  count: number;
  /** The issues of the last page. */
  outcomes: Outcome['issue'] | undefined;
  isFiltered: boolean;
  showAll: () => void;
}

/** What the last page says about the rest of the log. */
function More({ log, count, outcomes: issues = [], isFiltered, showAll }: MoreProps): ReactNode {
  const incomplete = issues.find(({ code }) => code === 'incomplete');
  const reached = issues.map(({ diagnostics = '' }) => /^searched back to (\S+)/.exec(diagnostics)?.[1]).find(Boolean);
  return (
    <>
      {incomplete && <Notice kind="warning">Events may be missing: {incomplete.diagnostics}.</Notice>}
      {log.data !== undefined &&
        !log.hasNextPage &&
        count === 0 &&
        (isFiltered ? (
          <Empty title="No event matches">
            <p>The whole log was searched. Take a filter away, or choose a longer time.</p>
            <button type="button" onClick={showAll}>
              Show all events
            </button>
          </Empty>
        ) : (
          <Empty title="There is no event yet">
            <p>
              Everything that this application and its users do with records is recorded here, within seconds: who,
              when, on whose record, and whether it was allowed.
            </p>
          </Empty>
        ))}
      <ShowMore query={log} action={reached === undefined ? 'Show older events' : 'Go on'}>
        {reached !== undefined && log.hasNextPage ? (
          <>
            {count === 0 ? 'No event found yet' : `${countText(count, 'event')} so far`}: searched back to{' '}
            <Time iso={reached} />. Older events may match: go on.
          </>
        ) : (
          count > 0 &&
          countText(count, 'event') +
            (log.hasNextPage ? ' so far.' : isFiltered ? ', all that match.' : ', the whole log.')
        )}
      </ShowMore>
    </>
  );
}

interface FilterFormProps {
  filters: Filters;
  /** Of the filters. */
  search: string;
  members: readonly Member[];
  apply: (filters: Filters) => void;
}

function FilterForm({ filters, search, members, apply }: FilterFormProps): ReactNode {
  const id = useId();
  // What was entered holds until the address has another search.
  const [entered, setEntered] = useState<{ search: string; filters: Filters }>();
  const values: Filters =
    entered?.search === search ? entered.filters : { ...filters, from: localOf(filters.from), to: localOf(filters.to) };
  const controlOf = (name: keyof Filters) => ({
    id: id + name,
    name,
    value: values[name] ?? '',
    onChange: ({ target: { value } }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      setEntered({ search, filters: { ...values, [name]: value.trim() } }),
  });
  const [role, developer] = values.who?.split(':') ?? [];
  const developers = {
    // Also one who has left, or whose name is not read yet.
    ...(role === 'developer' && developer !== undefined ? { [developer]: `Developer ${developer}` } : {}),
    ...Object.fromEntries(members.map(({ account_id, name }) => [account_id, name])),
  };
  const count = Object.keys(filters).length;
  // On a phone they would hide the events.
  const [isOpen, setOpen] = useState(() => matchMedia('(min-width: 40rem)').matches);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setEntered(undefined);
    apply({ ...values, from: instantOf(values.from), to: instantOf(values.to) });
  };
  const select = (name: keyof Filters, label: string, options: ReactNode): ReactNode => (
    <div>
      <label htmlFor={id + name}>{label}</label>
      <select {...controlOf(name)}>
        <option value="">All</option>
        {options}
      </select>
    </div>
  );
  const time = (name: 'from' | 'to', label: string): ReactNode => (
    <div>
      <label htmlFor={id + name}>{label}</label>
      <input {...controlOf(name)} type="datetime-local" />
    </div>
  );
  const user = (name: 'user' | 'about', label: string): ReactNode => (
    <div>
      <label htmlFor={id + name}>{label}</label>
      <input
        {...controlOf(name)}
        inputMode="numeric"
        pattern="[0-9]*"
        placeholder="service_user_id"
        autoComplete="off"
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
          {time('from', 'From (your time)')}
          {time('to', 'Until (your time)')}
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
              <optgroup label="Developers">{optionsOf(developers, 'developer:')}</optgroup>
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
              <button type="button" className="link" onClick={() => apply({})}>
                Show all
              </button>
            )}
          </div>
        </form>
      </details>
    </search>
  );
}
