import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { waitUntil } from '@tributary/test-environment';
import { typeCodeOf } from '@tributary/record-storage';
import request from 'supertest';
import {
  ExportUnderTest,
  type TestClient,
  type TestUser,
  analyticsUrl,
  binary,
  content,
  fill,
  linesOf,
} from '../../test/export-under-test';

const fileTokenKey = 'the-same-for-all-replicas';
let test: ExportUnderTest;
let client: TestClient;
let user: TestUser;
let url: string;
beforeAll(async () => {
  test = await ExportUnderTest.start({ variables: { FILE_TOKEN_KEY: fileTokenKey }, replicas: 2 });
  client = test.newClient();
  user = test.newUser(client);
  await fill(user.record, 'r4', 'Patient', 1);
  await fill(user.record, 'r4', 'Observation', 120, (i) => `"valueQuantity":{"value":${i}.50},"text":"é"`);
  url = (await test.manifest(user.bearer, '?_type=Observation')).output[0]!.url;
});
afterAll(() => test.stop());

const plain = (): Record<string, string> => ({ ...user.bearer, 'Accept-Encoding': 'identity' });

describe('a download', () => {
  it('is NDJSON with its headers, plain or gzipped, the same bytes each time and from each replica', async () => {
    const answer = await test.get(url, plain()).buffer(true).parse(binary);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/fhir+ndjson',
      'content-disposition': 'attachment; filename="Observation.r4.ndjson"',
      'accept-ranges': 'none',
      vary: expect.stringContaining('Accept-Encoding'),
      'cache-control': 'no-store',
    });
    expect(answer.headers['content-encoding']).toBeUndefined();
    const bytes = answer.body as Buffer;
    expect(linesOf(bytes)).toHaveLength(120);
    expect(bytes.toString()).toContain('"value":7.50');
    const none = await request(test.app(1))
      .get(url.replace(analyticsUrl, ''))
      .set(user.bearer)
      .unset('Accept-Encoding')
      .buffer(true)
      .parse(binary);
    expect([none.headers['content-encoding'], (none.body as Buffer).equals(bytes)]).toEqual([undefined, true]);
    const packed: Buffer[] = [];
    for (const replica of [0, 1]) packed.push(await rawDownload(replica, 'gzip, deflate'));
    expect(packed[0]!.equals(packed[1]!)).toBe(true);
    expect(packed[0]!.length).toBeLessThan(bytes.length / 3);
    expect(gunzipSync(packed[0]!).equals(bytes)).toBe(true);
    expect(
      (await test.get(url, { ...user.bearer, 'Accept-Encoding': 'gzip;q=0' })).headers['content-encoding'],
    ).toBeUndefined();
  });

  it('has the headers alone for HEAD, and the whole file for a range', async () => {
    const head = await request(test.app()).head(url.replace(analyticsUrl, '')).set(plain());
    expect([head.status, head.headers['content-type'], head.text ?? '']).toEqual([200, 'application/fhir+ndjson', '']);
    const range = await test
      .get(url, { ...plain(), Range: 'bytes=10-20' })
      .buffer(true)
      .parse(binary);
    expect([range.status, linesOf(range.body as Buffer).length]).toEqual([200, 120]);
  });

  it('is for the scope and the type of its manifest only, unaltered', async () => {
    const status = async (address: string, headers: Record<string, string>): Promise<number> =>
      (await test.get(address, headers)).status;
    expect(await status(url, {})).toBe(401);
    expect(await status(url, { ...user.bearer, ...client.headers })).toBe(400);
    expect(await status(url, test.newUser(client).bearer)).toBe(404);
    expect(await status(url, client.headers)).toBe(404);
    expect(await status(url, test.newClient().headers)).toBe(404);
    const another = {
      ...user.bearer,
      Authorization: `Bearer ${test.auth.addToken(client.client_id, user.record.userId)}`,
    };
    expect(await status(url, another)).toBe(200);
    for (const type of ['Patient', 'observation', 'Bundle', '..'])
      expect(await status(url.replace('/Observation/', `/${type}/`), user.bearer)).toBe(404);
    const [, head = '', token = ''] = /^(.*\/)([\w-]+)\.ndjson$/.exec(url) ?? [];
    for (let i = 0; i < token.length; i += 7)
      expect(
        await status(
          `${head}${token.slice(0, i)}${token[i] === 'A' ? 'B' : 'A'}${token.slice(i + 1)}.ndjson`,
          user.bearer,
        ),
      ).toBe(404);
    const last = token.at(-1) ?? '';
    for (const other of 'ABCDabcd0123-_')
      if (other !== last) expect(await status(`${head}${token.slice(0, -1)}${other}.ndjson`, user.bearer)).toBe(404);
    for (const bad of [token.slice(0, -4), `${token}AAAA`, 'A', 'A'.repeat(9000), `${token}=`])
      expect(await status(`${head}${bad}.ndjson`, user.bearer)).toBe(404);
  });

  it('expires a day after its snapshot', async () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 24 * 3600 * 1000 + 1000);
    const answer = await test.get(url, user.bearer);
    now.mockRestore();
    expect([answer.status, answer.body.resourceType]).toEqual([410, 'OperationOutcome']);
    expect((await test.get(url, user.bearer)).status).toBe(200);
  });

  it('stays as it was whatever is written, deleted and merged meanwhile', async () => {
    const { record, bearer } = test.newUser(client);
    const typeCode = typeCodeOf('r4', 'Observation');
    const ids = await fill(record, 'r4', 'Observation', 90);
    const [file] = (await test.manifest(bearer)).output;
    const before = await test.bytes(file!, bearer);
    for (const id of ids.slice(0, 9)) await record.update(typeCode, id, content('"v":2'));
    for (const id of ids.slice(9, 20)) await record.delete(typeCode, id);
    await fill(record, 'r4', 'Observation', 30);
    await test.storage.compactRecord(record.userId);
    await test.storage.maintenance().purge();
    expect((await test.bytes(file!, bearer)).equals(before)).toBe(true);
  });

  it('that is aborted, or stalls, leaves nothing behind', async () => {
    const stalling = await ExportUnderTest.start({
      variables: { RECORDS_POOL_SIZE: '2' },
      settings: { stallTimeoutMs: 1000 },
    });
    const owner = stalling.newUser();
    for (let i = 0; i < 6; i++)
      await fill(owner.record, 'r4', 'DocumentReference', 400, (n) => `"n":${n},"data":"${'x'.repeat(20_000)}"`);
    const [file] = (await stalling.manifest(owner.bearer)).output;
    const server = createServer(stalling.app()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const open = async (): Promise<ReturnType<typeof connect>> => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `GET ${file!.url.replace(analyticsUrl, '')} HTTP/1.1\r\nHost: x\r\nAuthorization: ${owner.bearer.Authorization}\r\n\r\n`,
      );
      await once(socket, 'data');
      socket.pause();
      return socket;
    };
    const opened = await Promise.all(Array.from({ length: 8 }, open));
    // No transaction is open while clients read nothing.
    await waitUntil(
      async () =>
        (
          await stalling.pool.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`,
          )
        ).rowCount === 0,
    );
    for (const socket of opened.slice(0, 4)) socket.destroy();
    const sockets = async (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    await waitUntil(async () => (await sockets()) === 0);
    expect(linesOf(await stalling.bytes(file!, owner.bearer))).toHaveLength(2400);
    server.close();
    await stalling.stop();
  });
});

function rawDownload(replica: number, acceptEncoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const server = createServer(test.app(replica)).listen(0, '127.0.0.1', async () => {
      const { get } = await import('node:http');
      get(
        {
          port: (server.address() as AddressInfo).port,
          path: url.replace(analyticsUrl, ''),
          headers: { ...user.bearer, 'Accept-Encoding': acceptEncoding },
        },
        (answer) => {
          const pieces: Buffer[] = [];
          expect(answer.headers['content-encoding']).toBe('gzip');
          answer
            .on('data', (piece: Buffer) => pieces.push(piece))
            .on('end', () => {
              server.close();
              resolve(Buffer.concat(pieces));
            });
        },
      ).on('error', reject);
    });
  });
}
