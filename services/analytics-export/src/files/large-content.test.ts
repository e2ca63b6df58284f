import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { Release } from '@tributary/fhir-definitions';
import { type RunningObjectStorage, startObjectStorage } from '@tributary/local-databases';
import { ExportUnderTest, type TestUser, binary, fill, linesOf } from '../../test/export-under-test';

const member = { dstu2: 'content', stu3: 'content', r4: 'data' } as const;
const content = randomBytes(1_500_001);
const base64 = content.toString('base64');

let server: RunningObjectStorage;
let test: ExportUnderTest;
let user: TestUser;
beforeAll(async () => {
  server = await startObjectStorage();
  test = await ExportUnderTest.start({ objectStorage: server });
});
beforeEach(() => (user = test.newUser()));
afterAll(async () => {
  await test.stop();
  await server.stop();
});

async function storedBinary(release: Release): Promise<string> {
  const data = await user.record.storeContent(Readable.from([content]));
  const members = `"contentType":"application/pdf","${member[release]}":"${data}"`;
  const [id] = await fill(user.record, release, 'Binary', 1, () => members);
  return id as string;
}

const isWhole = (line: string | undefined): boolean => {
  const resource = JSON.parse(line ?? '{}') as { data?: string; content?: string };
  return (resource.data ?? resource.content) === base64;
};

describe.each(['dstu2', 'stu3', 'r4'] as const)('large content of a Binary of %s', (release) => {
  it('is in the lines of an export, packed and not', async () => {
    await storedBinary(release);
    const { output } = await test.manifest(user.bearer);
    expect(output.map(({ type, count }) => [type, count])).toEqual([['Binary', 1]]);
    const [file] = output as [(typeof output)[0]];
    expect((await test.lines([file], user.bearer)).map(isWhole)).toEqual([true]);
    const packed = await test
      .get(file.url, { ...user.bearer, 'Accept-Encoding': 'gzip' })
      .buffer(true)
      .parse((answer, done) => {
        // The bytes as they were sent.
        binary(answer, done);
      });
    const bytes = packed.body as Buffer;
    expect(linesOf(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).map(isWhole)).toEqual([true]);
  });

  it('is downloaded on its own, whole, in parts and as FHIR JSON', async () => {
    const address = `/bulk-data/r4/Binary/${await storedBinary(release)}`;
    const get = (headers: Record<string, string>): ReturnType<ExportUnderTest['get']> =>
      test
        .get(address, { ...user.bearer, ...headers })
        .buffer(true)
        .parse(binary);
    const whole = await get({});
    expect([whole.status, whole.headers['content-length']]).toEqual([200, String(content.length)]);
    expect((whole.body as Buffer).equals(content)).toBe(true);
    const part = await get({ Range: 'bytes=190000-200000' });
    expect(part.status).toBe(206);
    expect((part.body as Buffer).equals(content.subarray(190_000, 200_001))).toBe(true);
    const json = await get({ Accept: 'application/fhir+json' });
    expect(json.headers['content-length']).toBe(String((json.body as Buffer).length));
    expect((JSON.parse(String(json.body)) as { data: string }).data === base64).toBe(true);
  });
});

it('gets an error, and no part of a file, during an outage of the object storage', async () => {
  const outage = await startObjectStorage();
  const others = await ExportUnderTest.start({ objectStorage: outage });
  user = others.newUser();
  const id = await storedBinary('r4');
  const { output } = await others.manifest(user.bearer);
  await outage.stop();
  for (const address of [output[0]?.url as string, `/bulk-data/r4/Binary/${id}`]) {
    const reply = await others.get(address, user.bearer);
    expect([reply.status, reply.headers['retry-after']]).toEqual([503, expect.any(String)]);
  }
  await others.stop();
});
