import { type Server, type Socket, connect, createServer } from 'node:net';

/**
 * A server that passes connections on to replicas, round robin. It does not look into them: over TLS, both certificates
 * are verified by the caller and the replica themselves.
 * @param origins those of the replicas
 */
export function passThrough(origins: readonly string[]): Server {
  const replicas = origins.map((origin) => ({ host: new URL(origin).hostname, port: Number(new URL(origin).port) }));
  let next = 0;
  return createServer((client) => {
    const first = next++ % replicas.length;
    join(client, [...replicas.slice(first), ...replicas.slice(0, first)]);
  });
}

/** Tries one replica after the other. A replica that closes an open connection closes that of the client. */
function join(client: Socket, [replica, ...others]: readonly { host: string; port: number }[]): void {
  if (!replica) return void client.destroy();
  let isOpen = false;
  const upstream = connect(replica, () => {
    isOpen = true;
    client.pipe(upstream).pipe(client);
  });
  client.on('error', () => upstream.destroy());
  client.once('close', () => upstream.destroy());
  upstream.on('error', () => undefined);
  upstream.once('close', () => {
    if (isOpen || client.destroyed) client.destroy();
    else join(client, others);
  });
}
