import { useCallback, useEffect, useRef, useState } from 'react';
import { type Connect, type ConnectEvent, type ConnectOptions, openConnect } from './open-connect.ts';

/** The pages as a component of React sees them. */
export interface ConnectState {
  /** Opens the pages; call it in the handler of a click. */
  open(this: void): void;
  /** Closes the pop-up or removes the frame. */
  close(this: void): void;
  isOpen: boolean;
  /** The last event of each kind. */
  events: Partial<{ [Type in ConnectEvent['type']]: Extract<ConnectEvent, { type: Type }> }>;
}

/** What `url` of `openConnect` is, asked for at each opening: an address works as long as its token. */
export type UseConnectOptions = Omit<ConnectOptions, 'url' | 'container'> & {
  url: () => string | Promise<string>;
  /** The element of a frame, such as from a ref. */
  container?: () => HTMLElement | null;
};

/** Opens the connect pages from a component, and closes them when it is unmounted. */
export function useConnect(options: UseConnectOptions): ConnectState {
  const latest = useRef(options);
  latest.current = options;
  const opened = useRef<Connect | undefined>(undefined);
  const [isOpen, setOpen] = useState(false);
  const [events, setEvents] = useState<ConnectState['events']>({});
  const close = useCallback(() => opened.current?.close(), []);
  const open = useCallback(() => {
    close();
    const { url, container, display, onEvent } = latest.current;
    setOpen(true);
    setEvents({});
    const element = container?.();
    opened.current = openConnect({
      url: url(),
      ...(display ? { display } : {}),
      ...(element ? { container: element } : {}),
      onEvent: (event) => {
        setEvents((before) => ({ ...before, [event.type]: event }));
        if (event.type === 'closed' || (event.type === 'failed' && event.error === 'popup_blocked')) setOpen(false);
        onEvent?.(event);
      },
    });
  }, [close]);
  useEffect(() => close, [close]);
  return { open, close, isOpen, events };
}
