import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import express from 'express';
import { type Sent, sendFile, sentBytes } from './send-file';

const pieceBytes = 131_072;
const pieceCount = 2000;

/** A source that counts what is taken from it and notices its end. */
class Source {
  taken = 0;
  ended = false;

  constructor(private readonly failAt = Infinity) {}

  async *pieces(): AsyncGenerator<Buffer> {
    try {
      while (this.taken < pieceCount) {
        if (this.taken === this.failAt) throw new Error('the source broke');
        this.taken++;
        yield Buffer.alloc(pieceBytes, 'x');
      }
    } finally {
      this.ended = true;
    }
  }
}

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Starts a download of the source. */
async function download(
  source: Source,
  stallTimeoutMs = 60_000,
): Promise<{ answer: IncomingMessage; sent: Promise<Sent | Error> }> {
  let settle: (sent: Promise<Sent>) => void;
  const sent = new Promise<Sent>((resolve) => (settle = resolve)).catch((error: Error) => error);
  const app = express().get('/', (_request, response) =>
    settle(sendFile(source.pieces(), response, () => void response.status(200), stallTimeoutMs)),
  );
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const [answer] = (await once(get({ port: (server.address() as AddressInfo).port }), 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  return { answer, sent };
}

it('reads from the source only as fast as the client reads', async () => {
  const source = new Source();
  const { answer, sent } = await download(source);
  // Without backpressure, all pieces are taken in fewer turns of the event loop: each turn takes at least one.
  for (let turn = 0; turn < 10 * pieceCount; turn++) await setImmediate();
  expect(source.taken * pieceBytes).toBeLessThan(30_000_000);
  let bytes = 0;
  for await (const piece of answer) bytes += (piece as Buffer).length;
  expect(bytes).toBe(pieceCount * pieceBytes);
  expect(await sent).toEqual({ complete: true, bytes });
  expect((await sentBytes.get()).values).toEqual([expect.objectContaining({ value: bytes })]);
});

it('ends the source when the client disconnects', async () => {
  const source = new Source();
  const { answer, sent } = await download(source);
  answer.destroy();
  expect(await sent).toMatchObject({ complete: false });
  expect(source).toMatchObject({ ended: true });
  expect(source.taken).toBeLessThan(pieceCount);
});

it('disconnects a client that reads nothing', async () => {
  const source = new Source();
  const { sent } = await download(source, 200);
  expect(await sent).toMatchObject({ complete: false });
  expect(source.ended).toBe(true);
});

it('cuts the connection when the source fails, so that a part never looks like the whole', async () => {
  const { answer, sent } = await download(new Source(20));
  const taken = (async () => {
    for await (const _piece of answer);
  })();
  await expect(taken).rejects.toThrow('aborted');
  expect(answer.complete).toBe(false);
  expect(await sent).toEqual(new Error('the source broke'));
});
