import type { IncomingMessage } from 'node:http';
import type { UserRecord } from '@tributary/record-storage';
import { streamedBody } from './response-body';

const native = {
  id: 'b',
  contentType: 'application/pdf',
  securityContext: undefined,
  length: 57,
  reference: 'r',
  bytes: () => [],
};

/** A record whose content counts how often it is open. */
function recordWith(pieces: number): { record: UserRecord; open: () => number } {
  let open = 0;
  async function* bytes(): AsyncGenerator<Buffer> {
    open++;
    try {
      for (let n = 0; n < pieces; n++) yield await Promise.resolve(Buffer.from([n]));
    } finally {
      open--;
    }
  }
  const record = { contentOf: () => Promise.resolve({ length: pieces, bytes }) } as unknown as UserRecord;
  return { record, open: () => open };
}
const request = (method = 'GET'): IncomingMessage => ({ method, headers: {} }) as unknown as IncomingMessage;

it('has all pieces, and ends with them', async () => {
  const { record, open } = recordWith(5);
  const body = await streamedBody(request(), record, { status: 200, native });
  const read: number[] = [];
  for await (const piece of body!.pieces) read.push(...piece);
  expect([read, body!.length, open()]).toEqual([[0, 1, 2, 3, 4], 5, 0]);
});

it.each([0, 1, 2, 3])('is ended when nobody reads more than %i pieces', async (wanted) => {
  const { record, open } = recordWith(5);
  const body = await streamedBody(request(), record, { status: 200, native });
  const pieces = (body!.pieces as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let n = 0; n < wanted; n++) await pieces.next();
  expect(open()).toBe(1);
  await body!.close();
  expect(open()).toBe(0);
});

it('of a HEAD request is not read', async () => {
  const { record, open } = recordWith(5);
  const body = await streamedBody(request('HEAD'), record, { status: 200, native });
  expect([body!.length, open()]).toEqual([5, 0]);
});
