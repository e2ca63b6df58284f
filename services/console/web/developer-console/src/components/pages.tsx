import { type ReactNode, useEffect } from 'react';
import { countText, numberText } from '../text';

/** The rows of a page of a table. */
export const pageRows = 50;

export interface PagesProps {
  total: number;
  offset: number;
  /** What is counted, in the singular. */
  noun: string;
  go: (offset: number) => void;
  /** Whether the rows of another page are still shown, of which the total can differ. */
  isReading: boolean;
}

/** Which rows of a list are shown, and the way to the others. */
export function Pages({ total, offset, noun, go, isReading }: PagesProps): ReactNode {
  const isBeyond = offset > 0 && offset >= total && !isReading;
  useEffect(() => {
    if (isBeyond) go(Math.floor((total - 1) / pageRows) * pageRows);
  }, [isBeyond]);
  if (total <= pageRows && offset === 0) return <p className="muted">{countText(total, noun)}</p>;
  const last = Math.min(offset + pageRows, total);
  return (
    <nav className="pages" aria-label={`Pages of ${noun}s`}>
      <span className="muted">
        {numberText(offset + 1)} to {numberText(last)} of {countText(total, noun)}
      </span>
      <button
        type="button"
        className="small"
        disabled={offset === 0}
        onClick={() => go(Math.max(0, offset - pageRows))}
      >
        Previous
      </button>
      <button type="button" className="small" disabled={last >= total} onClick={() => go(offset + pageRows)}>
        Next
      </button>
    </nav>
  );
}
