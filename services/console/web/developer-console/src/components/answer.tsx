import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Failure } from './notice';

export interface AnswerProps<Data> {
  query: UseQueryResult<Data>;
  /** The number of lines of the content. */
  lines?: number;
  children: (data: Data) => ReactNode;
}

/** What a query has read; while it reads, a skeleton of that; and why it failed, above what was read before. */
export function Answer<Data>({ query, lines = 4, children }: AnswerProps<Data>): ReactNode {
  if (query.data === undefined && !query.error) return <Skeleton lines={lines} />;
  return (
    <>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data !== undefined && children(query.data)}
    </>
  );
}

const quietMs = 300;

/** Nothing for a moment, then lines in place of the content. */
export function Skeleton({ lines }: { lines: number }): ReactNode {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), quietMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div className="skeleton" role="status">
      <span className="hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} />
      ))}
    </div>
  );
}
