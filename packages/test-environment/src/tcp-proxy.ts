import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

export interface TcpProxy {
  /** The URL of the server behind the proxy, with the address of the proxy. */
  readonly url: string;
  /** Stops forwarding in both directions. Connections stay open, and new ones are accepted. */
  hang(): void;
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

/** A TCP proxy in front of the server of a URL, for tests of a server or network that hangs. */
export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const pairs = new Set<{ client: Socket; server: Socket }>();
  let held = { requests: false, responses: false };
  let accepted = 0;
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

  const listener = createServer((client) => {
    accepted++;
    const server = connect(Number(target.port), target.hostname);
    const pair = { client, server };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    client
      .on('data', (chunk: Buffer) => {
        const isHeld = trigger !== undefined && chunk.includes(trigger.text);
        if (isHeld) hold({ requests: trigger?.requests === true, responses: true });
        if (isHeld && held.requests) client.unshift(chunk);
        else server.write(chunk);
      })
      .on('close', end)
      .on('error', end);
    server
      .on('data', (chunk) => client.write(chunk))
      .on('close', end)
      .on('error', end);
    apply(pair);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    hang: () => hold({ requests: true, responses: true }),
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
