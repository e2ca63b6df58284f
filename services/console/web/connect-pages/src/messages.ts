import type { ConnectMessage } from '@tributary/connect';
import { type MouseEvent, createContext, useContext, useEffect } from 'react';

const OriginsContext = createContext<readonly string[]>([]);
/** The origins of the application. */
export const OriginsProvider = OriginsContext.Provider;

/** The window that has framed or opened this page; undefined when it is one of these pages itself, or none. */
function receiver(): Window | undefined {
  const other = parent === window ? (opener as Window | null) : parent;
  try {
    return other?.location.origin === location.origin ? undefined : (other ?? undefined);
  } catch {
    // Nothing of a window of another origin can be read.
    return other ?? undefined;
  }
}

/** Tells the application. No other origin gets the message. */
function post(message: ConnectMessage, origins: readonly string[]): void {
  for (const origin of origins) receiver()?.postMessage(message, origin);
}

/** Tells the application something when it changes. @param message undefined: nothing */
export function useMessage(message: ConnectMessage | undefined): void {
  const origins = useContext(OriginsContext);
  const text = message && JSON.stringify(message);
  useEffect(() => {
    if (text !== undefined) post(JSON.parse(text) as ConnectMessage, origins);
  }, [text, origins]);
}

/** How long an application has to remove the frame, in milliseconds. */
const removalMs = 500;

/**
 * For the link by which the user leaves: in a frame, the application is told to remove the frame. Where nobody removes
 * it, the link leads the whole window back.
 */
export function useLeaving(): (event: MouseEvent<HTMLAnchorElement>) => void {
  const origins = useContext(OriginsContext);
  return (event) => {
    if (parent === window) return;
    event.preventDefault();
    const { href } = event.currentTarget;
    post({ tributary: 'closed' }, origins);
    setTimeout(() => open(href, '_top'), removalMs);
  };
}
