import { type ConnectMessage, type FinishedMessage, isConnectMessage } from './messages.ts';

/** What happens on the connect pages. */
export type ConnectEvent =
  | { type: 'opened' }
  /** All connections that were made so far. */
  | { type: 'connected'; connectionIds: string[]; healthSystemIds: number[] }
  | { type: 'progress'; collected: number; typesDone: number; typesTotal: number }
  /**
   * `popup_blocked`: the browser has opened no window; open the pages in a handler of a click. `no_address`: the
   * promise of the address was rejected. Others are those of the redirect to the client: the sign-in at a health
   * system ended without a connection, and the user can try again.
   */
  | { type: 'failed'; error: string }
  /**
   * The pages are left. A health system can cut the link between a pop-up and its opener: then it comes when the user
   * goes there, and `connected` can follow it.
   */
  | { type: 'closed' };

export interface ConnectOptions {
  /**
   * The address of the connect pages, which your server makes, such as by `connections.createLink` of
   * `@tributary/sdk`. Its `state` tells the ends of several pop-ups apart. A promise lets a pop-up open in the click
   * while the server is asked.
   */
  url: string | Promise<string>;
  /**
   * `popup` by default. A pop-up and a frame need the origin of this page among the frame origins of the client, which
   * the operator registers; without it a pop-up tells nothing before its end, and a frame stays empty.
   */
  display?: 'popup' | 'frame' | 'redirect';
  /** Where a frame is put. It fills the element. */
  container?: HTMLElement;
  onEvent?: (event: ConnectEvent) => void;
}

/** The opened pages. */
export interface Connect {
  /** Closes the pop-up or removes the frame. */
  close(): void;
}

/** The channel on which the page at the redirect_uri tells the other windows of its origin. */
export const channelName = 'tributary-connect';
const pollMs = 300;
/** A sign-in at a health system takes at most ten minutes. */
const cutOffMs = 600_000;

/** Opens the connect pages. Call it in the handler of a click: browsers block other pop-ups. */
export function openConnect({ url, display = 'popup', container, onEvent = () => undefined }: ConnectOptions): Connect {
  if (display === 'redirect') {
    void Promise.resolve(url).then(
      (address) => location.assign(address),
      () => onEvent({ type: 'failed', error: 'no_address' }),
    );
    return { close: () => undefined };
  }
  const view = display === 'frame' ? openFrame(container) : openPopup();
  if (!view) {
    onEvent({ type: 'failed', error: 'popup_blocked' });
    return { close: () => undefined };
  }
  let [origin, state]: (string | null)[] = [null, null];
  let isClosed = false;
  /** The pages repeat what they have told, as they load again. */
  const told = new Map<string, string>();
  const emit = (event: ConnectEvent | undefined): void => {
    if (!event) return;
    const text = JSON.stringify(event);
    if ((event.type === 'opened' || event.type === 'connected') && told.get(event.type) === text) return;
    told.set(event.type, text);
    onEvent(event);
  };
  const channel = new BroadcastChannel(channelName);
  const leave = (): void => {
    if (isClosed) return;
    isClosed = true;
    clearInterval(timer);
    removeEventListener('message', receive);
    view.close();
    emit({ type: 'closed' });
  };
  const close = (): void => {
    leave();
    channel.close();
  };
  const receive = ({ source, origin: from, data }: MessageEvent<unknown>): void => {
    if (from !== origin || source !== view.window() || !isConnectMessage(data)) return;
    if (data.tributary === 'closed') close();
    else emit(eventOf(data));
  };
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    // Other windows of this origin can have opened pages of their own.
    if (!isConnectMessage(data) || (data as FinishedMessage).state !== state) return;
    if (data.tributary === 'closed') close();
    else emit(eventOf(data));
  });
  addEventListener('message', receive);
  const timer = setInterval(() => {
    if (!view.isClosed()) return;
    leave();
    // A pop-up that seems closed can be one that the health system has cut off, and finish later.
    if (display === 'frame') channel.close();
    else setTimeout(() => channel.close(), cutOffMs);
  }, pollMs);
  Promise.resolve(url)
    .then((address) => {
      const { origin: ofPages, searchParams } = new URL(address);
      [origin, state] = [ofPages, searchParams.get('state')];
      view.navigate(address);
    })
    .catch(() => {
      emit({ type: 'failed', error: 'no_address' });
      close();
    });
  return { close };
}

/** Undefined for a message that this version does not know. */
function eventOf(message: Exclude<ConnectMessage, { tributary: 'closed' }>): ConnectEvent | undefined {
  switch (message.tributary) {
    case 'opened':
      return { type: 'opened' };
    case 'connected':
      return {
        type: 'connected',
        connectionIds: message.connection_ids,
        healthSystemIds: message.health_system_ids,
      };
    case 'progress':
      return {
        type: 'progress',
        collected: message.collected,
        typesDone: message.types_done,
        typesTotal: message.types_total,
      };
    case 'failed':
      return { type: 'failed', error: message.error };
    default:
      return undefined;
  }
}

/** A pop-up or a frame. */
interface View {
  window(): Window | null;
  navigate(address: string): void;
  isClosed(): boolean;
  close(): void;
}

function openPopup(): View | undefined {
  const [width, height] = [480, 760];
  const left = Math.max(0, screenX + (outerWidth - width) / 2);
  const top = Math.max(0, screenY + (outerHeight - height) / 2);
  const popup = open('about:blank', '_blank', `popup,width=${width},height=${height},left=${left},top=${top}`);
  return (
    (popup ?? undefined) && {
      window: () => popup,
      navigate: (address) => popup!.location.replace(address),
      isClosed: () => popup!.closed,
      close: () => popup!.close(),
    }
  );
}

function openFrame(container: HTMLElement | undefined): View {
  if (!container) throw new TypeError('openConnect: a frame needs a container');
  const frame = document.createElement('iframe');
  frame.title = 'Connect your health records';
  // For the places near the user. The browser still asks the user, and only the origin of the address may ask.
  frame.allow = 'geolocation';
  frame.style.cssText = 'width:100%;height:100%;border:0';
  container.append(frame);
  return {
    window: () => frame.contentWindow,
    navigate: (address) => {
      frame.src = address;
    },
    isClosed: () => !frame.isConnected,
    close: () => frame.remove(),
  };
}
