import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

const [port = 0, target = 0] = process.argv.slice(2).map(Number);
const maxBufferedBytes = 4_194_304;
let delayMs = 0;

/** Forwards data from one side to the other in order, each chunk after the delay. */
function forward(from: Socket, to: Socket): void {
  let lastDue = 0;
  const later = (work: () => void): void => {
    const now = performance.now();
    if (delayMs === 0 && lastDue <= now) return work();
    lastDue = Math.max(lastDue, now + delayMs);
    setTimeout(work, lastDue - now);
  };
  from.on('data', (data) => {
    later(() => {
      to.write(data);
      if (to.writableLength > maxBufferedBytes) {
        from.pause();
        to.once('drain', () => from.resume());
      }
    });
  });
  from.on('end', () => later(() => to.end()));
  from.on('close', () => later(() => to.destroy()));
  from.on('error', () => undefined);
}

const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
  const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  forward(client, upstream);
  forward(upstream, client);
});
server.listen(port, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', (message) => (delayMs = Number(message)));
process.on('disconnect', () => process.exit(0));
