import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

export interface TcpProxy {
  /** The URL of the server behind the proxy, with the address of the proxy. */
  readonly url: string;
  /** From now on no byte passes in either direction; connections stay open, and new ones are accepted. */
  hang(): void;
  /** As soon as a client sends this text, all that the server sends is held back, or from this text on all that clients send, too. */
  holdFrom(text: string, what: 'answers' | 'requests'): void;
  /** Whether anything is held back now. */
  isHolding(): boolean;
  /** Lets everything pass again, also what was held back. */
  resume(): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** A TCP proxy before the server of a URL, for tests of a server or a network that hangs. */
export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const pairs = new Set<{ client: Socket; server: Socket }>();
  let held = { requests: false, answers: false };
  let trigger: { text: string; requests: boolean } | undefined;

  const apply = ({ client, server }: { client: Socket; server: Socket }): void => {
    if (held.requests) client.pause();
    else client.resume();
    if (held.answers) server.pause();
    else server.resume();
  };
  const hold = (next: typeof held): void => {
    held = next;
    trigger = undefined;
    pairs.forEach(apply);
  };

  const listener = createServer((client) => {
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
        if (isHeld) hold({ requests: trigger?.requests === true, answers: true });
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
    hang: () => hold({ requests: true, answers: true }),
    holdFrom: (text, what) => {
      trigger = { text, requests: what === 'requests' };
    },
    isHolding: () => held.requests || held.answers,
    resume: () => hold({ requests: false, answers: false }),
    close: async () => {
      const closed = once(listener, 'close');
      listener.close();
      for (const { client } of pairs) client.destroy();
      await closed;
    },
  };
}
