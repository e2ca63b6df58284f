import { useEffect, useRef } from 'react';

interface LastSignal {
  /** The signal of new work, in place of the work before. */
  begin(): AbortSignal;
  end(): void;
}

/** Ends the work of a component when other work begins, when it is stopped, and when the component is left. */
export function useLastSignal(): LastSignal {
  const last = useRef<AbortController>(undefined);
  const end = (): void => last.current?.abort();
  useEffect(() => () => last.current?.abort(), []);
  return {
    begin: () => {
      end();
      last.current = new AbortController();
      return last.current.signal;
    },
    end,
  };
}
