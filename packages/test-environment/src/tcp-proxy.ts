import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

export interface TcpProxy {
  /** The URL of the server behind the proxy, with the address of the proxy. */
  readonly url: string;
  /** Stops forwarding in both directions. Connections stay open, and new ones are accepted. */
  hang(): void;
  /** Delays all further data in both directions. */
  delay(milliseconds: number): void;
  /** When a client sends the text, stops forwarding responses, or requests from this text on as well as responses. */
  holdFrom(text: string, what: 'responses' | 'requests'): void;
  /** Whether forwarding is stopped in any direction. */
  isHolding(): boolean;
  /** How many connections it has accepted. */
  accepted(): number;
  /** Resumes forwarding, beginning with the held data. */
  resume(): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

/**
 * A TCP proxy in front of the server of a URL, for tests of a server or network that hangs or is slow.
 * @param listenPort 0: any free port
 */
export async function startTcpProxy(serverUrl: string, listenPort = 0): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const pairs = new Set<{ client: Socket; server: Socket }>();
  let held = { requests: false, responses: false };
  let accepted = 0;
  let delayMs = 0;
  let trigger: { text: string; requests: boolean } | undefined;

  const apply = ({ client, server }: { client: Socket; server: Socket }): void => {
    if (held.requests) client.pause();
    else client.resume();
    if (held.responses) server.pause();
    else server.resume();
  };
  const hold = (next: typeof held): void => {
    held = next;
    trigger = undefined;
    pairs.forEach(apply);
  };
  /** Does work in order, each piece after the delay. */
  const inOrder = (): ((work: () => void) => void) => {
    let lastDue = 0;
    return (work) => {
      const now = performance.now();
      if (delayMs === 0 && lastDue <= now) return work();
      lastDue = Math.max(lastDue, now + delayMs);
      setTimeout(work, lastDue - now);
    };
  };

  const listener = createServer({ noDelay: true }, (client) => {
    accepted++;
    const server = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    const pair = { client, server };
    pairs.add(pair);
    const forward = (from: Socket, to: Socket, isHeld: (chunk: Buffer) => boolean): void => {
      const later = inOrder();
      from.on('data', (chunk: Buffer) => {
        if (isHeld(chunk)) return void from.unshift(chunk);
        later(() => {
          if (to.write(chunk)) return;
          from.pause();
          to.once('drain', () => apply(pair));
        });
      });
      from.on('close', () => later(() => to.destroySoon()));
      from.on('error', () => undefined);
    };
    forward(client, server, (chunk) => {
      const isTriggered = trigger !== undefined && chunk.includes(trigger.text);
      if (isTriggered) hold({ requests: trigger?.requests === true, responses: true });
      return isTriggered && held.requests;
    });
    forward(server, client, () => false);
    client.on('close', () => pairs.delete(pair));
    apply(pair);
  }).listen(listenPort, '127.0.0.1');
  await once(listener, 'listening');

  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    hang: () => hold({ requests: true, responses: true }),
    delay: (milliseconds) => {
      delayMs = milliseconds;
    },
    holdFrom: (text, what) => {
      trigger = { text, requests: what === 'requests' };
    },
    isHolding: () => held.requests || held.responses,
    accepted: () => accepted,
    resume: () => hold({ requests: false, responses: false }),
    close: async () => {
      const closed = once(listener, 'close');
      listener.close();
      for (const { client } of pairs) client.destroy();
      await closed;
    },
  };
}
