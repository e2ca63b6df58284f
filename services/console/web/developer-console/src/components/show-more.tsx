import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';

interface ShowMoreProps {
  query: UseInfiniteQueryResult;
  /** The label of the button. */
  action?: string;
  /** How many rows are shown. */
  children: ReactNode;
}

/** Tells how many rows of a list are shown, and shows more. The focus stays here when the button goes. */
export function ShowMore({ query, action = 'Show more', children }: ShowMoreProps): ReactNode {
  const status = useRef<HTMLParagraphElement>(null);
  const goOn = async (): Promise<void> => {
    const { hasNextPage } = await query.fetchNextPage();
    if (!hasNextPage) status.current?.focus();
  };
  return (
    <div className="pages">
      <p ref={status} className="muted" role="status" tabIndex={-1}>
        {children}
      </p>
      {query.hasNextPage && (
        <button
          type="button"
          aria-disabled={query.isFetchingNextPage}
          onClick={() => !query.isFetchingNextPage && void goOn()}
        >
          {action}
        </button>
      )}
    </div>
  );
}
