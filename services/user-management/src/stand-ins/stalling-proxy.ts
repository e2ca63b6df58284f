import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A TCP proxy that can stop forwarding what comes, and keeps the connections open. */
export interface StallingProxy {
  url: string;
  /** Stops forwarding when a text is about to be sent on, that one included. */
  stallAt(text: string): void;
  isStalled(): boolean;
  resume(): void;
  close(): Promise<void>;
}

export async function stallingProxy(target: string): Promise<StallingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let held: (() => void)[] | undefined;
  let trigger: string | undefined;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
    client.on('data', (chunk: Buffer) => {
      if (trigger !== undefined && chunk.includes(trigger)) {
        held ??= [];
        trigger = undefined;
      }
      if (held) held.push(() => upstream.write(chunk));
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => void client.write(chunk));
    client.on('close', () => upstream.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = new URL(target);
  address.hostname = '127.0.0.1';
  address.port = String((server.address() as AddressInfo).port);
  return {
    url: address.href,
    stallAt: (text) => (trigger = text),
    isStalled: () => held !== undefined,
    resume: () => {
      for (const send of held ?? []) send();
      held = undefined;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
