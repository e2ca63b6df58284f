import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type AttachmentClient, attachmentClient } from '../../../test/attachment-client';
import { type FetchedAttachment, fetchAttachment } from './fetch-attachment';

const large = Buffer.alloc(24_000_000, 'a page of a scan\n');
const small = Buffer.from('a note');
const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('base64');
const binaryOf = (content: Buffer): Buffer =>
  Buffer.from(
    JSON.stringify({ resourceType: 'Binary', contentType: 'text/plain', data: content.toString('base64') }, null, 1),
  );
const binary = binaryOf(large);
const fhir = { 'Content-Type': 'application/fhir+json' };

let server: Server;
let base: string;
/** For one request after another; the last one is repeated. */
let answers: ((response: ServerResponse) => void)[];
let requests: number;
let stored: object[];
/** The reserved memory at the last piece. */
let reserved: number;

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.on('error', () => undefined);
    requests++;
    (answers.length > 1 ? answers.shift() : answers[0])?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`;
});
beforeEach(() => {
  requests = 0;
  stored = [];
  reserved = 0;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Options {
  reference?: string;
  maxBytes?: number;
  isTaken?: boolean;
  onPiece?: () => unknown;
  connection?: AttachmentClient;
}

async function fetch({
  reference = 'Binary/b',
  maxBytes = 100_000_000,
  isTaken = true,
  onPiece = () => undefined,
  connection: { client, responseMemory } = attachmentClient(base),
}: Options = {}): Promise<FetchedAttachment> {
  const reservation = client.reservation();
  try {
    return await fetchAttachment(client, reference, {
      maxBytes,
      reservation,
      store: async (attachment) => {
        if ('json' in attachment) stored.push({ json: attachment.json });
        if ('json' in attachment || !isTaken) return isTaken;
        const { sourceId, mediaType, content } = attachment;
        const hash = createHash('sha256');
        for await (const piece of content) {
          await onPiece();
          hash.update(piece);
          reserved = responseMemory.heldBytes;
        }
        stored.push({ digest: hash.digest('base64'), mediaType, sourceId });
        return true;
      },
    });
  } finally {
    reservation.release();
  }
}

const forms: [form: string, answer: (response: ServerResponse) => void][] = [
  ['with its length', (response) => response.writeHead(200, { 'Content-Length': large.length }).end(large)],
  ['in chunks', (response) => void response.writeHead(200).write(large, () => response.end())],
  ['compressed', (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(large))],
  ['as a Binary with its length', (response) => response.writeHead(200, fhir).end(binary)],
  ['as a Binary in chunks', (response) => void response.writeHead(200, fhir).write(binary, () => response.end())],
];

describe('a large attachment', () => {
  it.each(forms)('is stored while it arrives, %s', async (_form, answer) => {
    answers = [answer];
    const connection = attachmentClient(base);
    expect(await fetch({ connection })).toEqual({ ok: true });
    const mediaType = expect.stringMatching(/^text\/plain/) as string;
    expect(stored).toEqual([{ digest: digestOf(large), mediaType, sourceId: 'b' }]);
    expect(requests).toBe(1);
    // What was held until it was known to be large has been passed on.
    expect(reserved).toBeLessThanOrEqual(1_000_000);
    expect(connection.responseMemory.heldBytes).toBe(0);
  });

  it('is requested again when it is cut short, and only then stored', async () => {
    const half = large.length / 2;
    for (const cutShort of [
      (response: ServerResponse) => {
        response.writeHead(200, { 'Content-Length': large.length });
        response.write(large.subarray(0, half), () => response.destroy());
      },
      (response: ServerResponse) =>
        void response.writeHead(200).write(large.subarray(0, 22_000_000), () => response.destroy()),
      (response: ServerResponse) => response.writeHead(200, fhir).end(binary.subarray(0, 31_000_000)),
    ]) {
      answers = [cutShort, forms[3]![1]];
      stored = [];
      expect(await fetch()).toEqual({ ok: true });
      expect(stored).toEqual([{ digest: digestOf(large), mediaType: 'text/plain', sourceId: 'b' }]);
      answers = [cutShort];
      stored = [];
      await expect(fetch()).rejects.toMatchObject({
        name: 'HealthSystemRequestFailed',
        code: expect.stringMatching(/^(no_response|response_unreadable)$/) as string,
      });
      expect(stored).toEqual([]);
    }
  });

  it.each(forms)('is not stored when it is larger than the limit, %s', async (_form, answer) => {
    answers = [answer];
    expect(await fetch({ maxBytes: 23_000_000 })).toMatchObject({
      code: 'attachment_too_large',
      reason: 'an attachment is larger than 23 MB',
    });
    expect([stored, requests]).toEqual([[], 1]);
  });

  it('is reported as too large when the record does not take it', async () => {
    answers = [forms[0]![1]];
    expect(await fetch({ isTaken: false })).toMatchObject({ code: 'attachment_too_large' });
    expect([stored, requests]).toEqual([[], 1]);
  });

  it('is another resource only at an address that is not that of a Binary', async () => {
    const document = Buffer.from(
      JSON.stringify({ entry: [large.toString()], data: 'no base64', resourceType: 'Bundle' }),
    );
    const binaryLater = Buffer.from(JSON.stringify({ data: large.toString('base64'), resourceType: 'Media' }));
    answers = [
      (response) => response.writeHead(200, fhir).end(Buffer.concat([document, Buffer.alloc(9_000_000, ' ')])),
    ];
    await expect(fetch()).rejects.toMatchObject({ code: 'response_unreadable' });
    expect(await fetch({ reference: `${base}/Bundle/1` })).toEqual({ ok: true });
    expect(stored).toMatchObject([{ mediaType: 'application/fhir+json', sourceId: `${base}/Bundle/1` }]);
    answers = [(response) => response.writeHead(200, fhir).end(binaryLater)];
    await expect(fetch({ reference: `${base}/x` })).rejects.toMatchObject({ code: 'response_unreadable' });
    expect(stored).toHaveLength(1);
  });

  it('keeps its request until its end, and ends with the reason of the signal', async () => {
    const controller = new AbortController();
    const connection = attachmentClient(base, controller.signal);
    const closed = new Promise((resolve) => {
      answers = [
        (response) => response.on('close', resolve).writeHead(200).write(large),
        (response) => response.end(small),
      ];
    });
    let second: Promise<unknown> | undefined;
    const first = fetch({
      connection,
      onPiece: async () => {
        second ??= fetch({ connection });
        second.catch(() => undefined);
        await new Promise(setImmediate);
        if (reserved > 0 && reserved <= 1_000_000) controller.abort(new Error('the collection has ended'));
      },
    });
    await expect(first).rejects.toThrow('the collection has ended');
    await expect(second).rejects.toThrow('the collection has ended');
    await closed;
    expect([stored, requests]).toEqual([[], 1]);
  });
});

it('a small attachment is stored as a Binary', async () => {
  answers = [(response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end(small)];
  expect(await fetch()).toEqual({ ok: true });
  const data = small.toString('base64');
  expect(stored).toEqual([
    { json: JSON.stringify({ resourceType: 'Binary', id: 'b', contentType: 'text/plain', data }) },
  ]);
});
