import { type Hash, createHash } from 'node:crypto';
import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { ChildProcess } from 'node:child_process';
import { endOf, runSource } from '../../../test/child-process';

const pieceBytes = 300_000;
const pieces = 350;
const piece = Buffer.alloc(pieceBytes, 'a page of a scan\n');

let healthSystem: Server;
let fhirStore: Server;
let child: ChildProcess;
let received: { bytes: number; digest: string }[];

beforeAll(async () => {
  healthSystem = createServer((request, response) => {
    const [form = '', count = ''] = (request.url ?? '').split('/').slice(-1)[0]?.split('-') ?? [];
    send(form, Number(count), response).catch(() => response.destroy());
  });
  fhirStore = createServer((request, response) => {
    const hash = createHash('sha256');
    let bytes = 0;
    request.on('data', (part: Buffer) => void (hash.update(part), (bytes += part.length)));
    request.on('end', () => {
      received.push({ bytes, digest: hash.digest('base64') });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"outcome":"stored","created":true}');
    });
  });
  for (const server of [healthSystem, fhirStore]) await once(server.listen(0, '127.0.0.1'), 'listening');
  const addresses = [healthSystem, fhirStore].map(
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  child = runSource(require.resolve('../../../test/attachment-process'), {
    HEALTH_SYSTEM: `${addresses[0]}/fhir`,
    FHIR_STORE: addresses[1] ?? '',
  });
});
beforeEach(() => {
  received = [];
});
afterAll(async () => {
  child?.kill('SIGKILL');
  if (child) await endOf(child);
  for (const server of [healthSystem, fhirStore]) {
    server.closeAllConnections();
    server.close();
  }
});

async function send(form: string, count: number, response: ServerResponse): Promise<void> {
  const isRaw = form.startsWith('raw');
  const part = isRaw ? piece : Buffer.from(piece.toString('base64'));
  const [start, end] = isRaw ? ['', ''] : ['{"resourceType":"Binary","contentType":"text/plain","data":"', '"}'];
  response.writeHead(200, {
    'Content-Type': isRaw ? 'text/plain' : 'application/fhir+json',
    ...(form.endsWith('chunked') ? {} : { 'Content-Length': start.length + count * part.length + end.length }),
  });
  function* all(): Generator<Buffer> {
    if (start) yield Buffer.from(start);
    for (let index = 0; index < count; index++) yield part;
    if (end) yield Buffer.from(end);
  }
  await pipeline(all, response);
}

async function transfer(form: string, count: number): Promise<{ outcome: unknown; grownBytes: number }> {
  child.send(`Binary/${form}-${count}`);
  const [answer] = (await once(child, 'message')) as [{ outcome: unknown; grownBytes: number }];
  return answer;
}

function digestOf(count: number): string {
  const hash: Hash = createHash('sha256');
  for (let index = 0; index < count; index++) hash.update(piece);
  return hash.digest('base64');
}

// In this order: the growth is that since the process began. Without a length, 28 MB of JSON are held until it is known
// to be large.
it.each([
  ['raw', 64],
  ['json', 64],
  ['rawchunked', 80],
  ['jsonchunked', 96],
])('an attachment of 105 MB (%s) takes less than %d MB', async (form, maxMegabytes) => {
  const { outcome, grownBytes } = await transfer(form, pieces);
  expect(outcome).toEqual({ ok: true });
  expect(received).toEqual([{ bytes: pieces * pieceBytes, digest: digestOf(pieces) }]);
  expect(grownBytes).toBeLessThan(maxMegabytes * 1_000_000);
});
