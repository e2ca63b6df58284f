import type { ConnectMessage } from '@tributary/connect';
import { createContext, useContext, useEffect } from 'react';

const OriginsContext = createContext<readonly string[]>([]);
/** The origins of the application. */
export const OriginsProvider = OriginsContext.Provider;

/** Tells the window of the application that has opened or framed this page. No other origin gets a message. */
function post(message: ConnectMessage, origins: readonly string[]): void {
  const receiver = parent === window ? (opener as Window | null) : parent;
  for (const origin of origins) receiver?.postMessage(message, origin);
}

/** Tells the application something when it changes. @param message undefined: nothing */
export function useMessage(message: ConnectMessage | undefined): void {
  const origins = useContext(OriginsContext);
  const text = message && JSON.stringify(message);
  useEffect(() => {
    if (text !== undefined) post(JSON.parse(text) as ConnectMessage, origins);
  }, [text, origins]);
}

/**
 * For the link by which the user leaves: in a frame, the application is told to remove the frame. Where nobody removes
 * it, the link leads the whole window back.
 */
export function useLeaving(): () => void {
  const origins = useContext(OriginsContext);
  return () => post({ tributary: 'closed' }, parent === window ? [] : origins);
}
