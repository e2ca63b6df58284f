import type { FhirVersion } from '@tributary/contracts';
import { sum } from 'd3-array';
import { type ReactNode, useState } from 'react';
import { keys, useAnswer } from '../api/queries';
import { Answer } from '../components/answer';
import { AsCurl } from '../components/curl';
import { DataTable } from '../components/data-table';
import { countText, numberText } from '../text';
import { releaseNames, releases } from './releases';

/** The Parameters resource of `$counts`. */
interface Counts {
  parameter?: { part: { name: string; valueCode?: string; valueInteger?: number }[] }[];
}

interface CountsOfType {
  type: string;
  total: number;
  /** By year of care; under `undefined` those without a date. */
  byYear: ReadonlyMap<number | undefined, number>;
}

interface RecordProps {
  clientId: string;
  /** The service_user_id. */
  id: string;
}

/** How many resources the record of a user has, without their content: loaded when it is opened. */
export function RecordCounts(props: RecordProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <h3>Record</h3>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Resources by type and year of care</summary>
        {isOpen && <AllReleases {...props} />}
      </details>
    </>
  );
}

function AllReleases(props: RecordProps): ReactNode {
  const [r4, stu3, dstu2] = [useCounts(props, 'r4'), useCounts(props, 'stu3'), useCounts(props, 'dstu2')];
  const queries = { r4, stu3, dstu2 };
  const isRead = Object.values(queries).every(({ data }) => data !== undefined);
  const isEmpty = isRead && Object.values(queries).every(({ data }) => data?.parameter === undefined);
  if (isEmpty) return <p className="muted">The record has no resources yet.</p>;
  return releases.map((release) => (
    <Answer key={release} query={queries[release]} lines={3}>
      {(counts) => {
        const types = countsByType(counts);
        return types.length > 0 && <OfRelease release={release} types={types} />;
      }}
    </Answer>
  ));
}

function useCounts({ clientId, id }: RecordProps, release: FhirVersion): ReturnType<typeof useAnswer<Counts>> {
  const path = `clients/${encodeURIComponent(clientId)}/users/${encodeURIComponent(id)}/${release}/$counts`;
  return useAnswer<Counts>([...keys.users(clientId), 'counts', id, release], path);
}

function OfRelease({ release, types }: { release: FhirVersion; types: readonly CountsOfType[] }): ReactNode {
  const years = [...new Set(types.flatMap(({ byYear }) => [...byYear.keys()]))].toSorted(
    (one = -Infinity, other = -Infinity) => other - one,
  );
  const total = sum(types, (each) => each.total);
  return (
    <>
      <h4>
        {releaseNames[release]}: {countText(total, 'resource')}
      </h4>
      <div className="counts">
        <DataTable
          caption={`Resources in ${releaseNames[release]}`}
          rows={types}
          keyOf={({ type }) => type}
          columns={[
            { header: 'Type', cell: ({ type }) => type },
            { header: 'All', cell: (row) => numberText(row.total), isNumber: true },
            ...years.map((year) => ({
              header: year === undefined ? 'No date' : String(year),
              cell: ({ byYear }: CountsOfType) => {
                const count = byYear.get(year);
                return count === undefined ? '' : numberText(count);
              },
              isNumber: true,
            })),
          ]}
        />
      </div>
      <AsCurl api="base_url" path={`${release}/$counts`} />
    </>
  );
}

function countsByType({ parameter = [] }: Counts): CountsOfType[] {
  const types = new Map<string, Map<number | undefined, number>>();
  for (const { part } of parameter) {
    const valueOf = (name: string) => part.find((each) => each.name === name);
    const type = valueOf('type')?.valueCode ?? '';
    const byYear = types.get(type) ?? new Map<number | undefined, number>();
    types.set(type, byYear.set(valueOf('year')?.valueInteger, valueOf('value')?.valueInteger ?? 0));
  }
  return [...types].map(([type, byYear]) => ({
    type,
    total: sum(byYear.values()),
    byYear,
  }));
}
