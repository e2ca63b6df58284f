import type { ReactNode } from 'react';
import { secondsText } from '../text';

/** When figures were read, to the second. @param at in milliseconds since the Unix epoch */
export function ReadAt({ at }: { at: number }): ReactNode {
  return (
    <>
      As of <Time iso={new Date(at).toISOString()} />.
    </>
  );
}

/** A time of the place of the reader, to the second; its exact form in ISO 8601 is its title, or a line below. */
export function Time({ iso, isExact = false }: { iso: string; isExact?: boolean }): ReactNode {
  return (
    <>
      <time dateTime={iso} title={iso}>
        {secondsText(iso)}
      </time>
      {isExact && <span className="second-line">{iso}</span>}
    </>
  );
}
