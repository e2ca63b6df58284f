import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { keys } from '../api/queries';
import { call } from '../api/request';
import { Skeleton } from '../components/answer';
import { CodeBlock } from '../components/code-block';
import { type Column, DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { Failure } from '../components/notice';
import { SearchForm } from '../components/search-form';
import { ShowMore } from '../components/show-more';
import { useParameters } from '../components/use-parameters';
import { countText } from '../text';
import { Filter } from './filter';

export interface SearchListProps<Row> {
  caption: string;
  /** What is counted, in the singular. */
  noun: string;
  /** Below `operator/`. */
  path: string;
  /** The label of the search. */
  searched: string;
  /** Choices by the names of their parameters: what they are called, and their values with their names. */
  filters?: Readonly<Record<string, { label: string; options: Readonly<Record<string, string>> }>>;
  keyOf: (row: Row) => string;
  columns: readonly Column<Row>[];
  /** The command that lists them all. */
  command: string;
  /** The panel of a row that the address names. */
  panel: (key: string, row: Row | undefined, close: () => void) => ReactNode;
}

interface Page<Row> {
  entry: Row[];
  next?: string;
}

/** A list of the whole service, newest first: search and filters are in the address, and a row opens a panel. */
export function SearchList<Row>({
  caption,
  noun,
  path,
  searched,
  filters = {},
  keyOf,
  columns,
  command,
  panel,
}: SearchListProps<Row>): ReactNode {
  const [parameters, change] = useParameters();
  const chosen = ['text', ...Object.keys(filters)].flatMap((name): [string, string][] => {
    const value = parameters.get(name);
    return value === null ? [] : [[name, value]];
  });
  const list = useInfiniteQuery({
    queryKey: [...keys.operator(path), chosen],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams([...chosen, ...(pageParam === '' ? [] : [['after', pageParam]])]);
      return call<Page<Row>>('GET', `operator/${path}?${query.toString()}`);
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.pages.flatMap(({ entry }) => entry);
  const opened = parameters.get('open');
  return (
    <>
      <SearchForm label={searched} text={parameters.get('text') ?? ''} search={(text) => change({ text })} />
      <div className="filter-row">
        {Object.entries(filters).map(([name, { label, options }]) => (
          <Filter
            key={name}
            label={label}
            options={{ '': 'All', ...options }}
            value={parameters.get(name) ?? ''}
            choose={(value) => change({ [name]: value })}
          />
        ))}
      </div>
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {!rows && !list.error && <Skeleton lines={8} />}
      {rows?.length === 0 && (
        <Empty title={chosen.length === 0 ? `There is no ${noun} yet` : `No ${noun} matches`}>
          {chosen.length === 0 ? (
            <p>Developers make them in the console, after they have signed up.</p>
          ) : (
            <button type="button" onClick={() => change(Object.fromEntries(chosen.map(([name]) => [name, undefined])))}>
              Show all
            </button>
          )}
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <DataTable
          caption={caption}
          rows={rows}
          keyOf={keyOf}
          open={(row) => change({ open: keyOf(row) })}
          columns={columns}
        />
      )}
      <ShowMore query={list}>
        {rows && rows.length > 0 && countText(rows.length, noun) + (list.hasNextPage ? ' so far' : '')}
      </ShowMore>
      <ByCommand command={command} what={`list all ${noun}s`} />
      {opened !== null &&
        panel(
          opened,
          rows?.find((row) => keyOf(row) === opened),
          () => change({ open: undefined }),
        )}
    </>
  );
}

/** A command of the operator. @param what it does, within a sentence */
export function ByCommand({ command, what }: { command: string; what: string }): ReactNode {
  return (
    <details className="curl">
      <summary>By command: {what}</summary>
      <CodeBlock text={`npm run admin -- ${command}`} what="the command" />
    </details>
  );
}
