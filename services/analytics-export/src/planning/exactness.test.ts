import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { ExportManifest } from '@tributary/contracts';
import { type TypeCode, type UserRecord, typeCodeOf } from '@tributary/record-storage';
import { seededRandom } from '@tributary/test-environment';
import { ExportUnderTest, type TestUser, content } from '../../test/export-under-test';

const typeCodes = [
  typeCodeOf('r4', 'Observation'),
  typeCodeOf('dstu2', 'MedicationOrder'),
  typeCodeOf('stu3', 'Observation'),
];
/** How many exports are made during the writes. */
const exports = 6;
const random = seededRandom();

/** What the history says was stored at a time: by type and id, the version. */
async function versionsAt(record: UserRecord, time: number): Promise<Map<string, string>> {
  const versions = new Map<string, { time: number; line: string | undefined }>();
  let after;
  do {
    const page = await record.history({ scope: 'record', limit: 1000, ...(after ? { after } : {}) });
    for (const { typeCode, id, lastUpdated, json } of page.versions) {
      const key = `${typeCode}/${id}`;
      if (lastUpdated <= time && (versions.get(key)?.time ?? -1) < lastUpdated)
        versions.set(key, { time: lastUpdated, line: json?.toString('utf8') });
    }
    after = page.next;
  } while (after);
  return new Map([...versions].flatMap(([key, { line }]) => (line === undefined ? [] : [[key, line] as const])));
}

/** Writes, changes and deletes as fast as it goes, singly and in batches. */
async function writeUntil(isOver: (writes: number) => boolean, { record }: TestUser): Promise<void> {
  const ids: { typeCode: TypeCode; id: string }[] = [];
  const any = (): { typeCode: TypeCode; id: string } => ids[Math.floor(random() * ids.length)]!;
  const created = (): { typeCode: TypeCode; id: string } =>
    ids[ids.push({ typeCode: typeCodes[Math.floor(random() * typeCodes.length)]!, id: randomUUID() }) - 1]!;
  for (let n = 0; !isOver(n); n++) {
    const dice = random();
    if (ids.length < 20 || dice < 0.3)
      await record.write(Array.from({ length: 30 }, () => ({ ...created(), ...content(`"n":${n}`) })));
    else if (dice < 0.5) {
      const { typeCode, id } = created();
      await record.create(typeCode, id, content(`"n":${n}`));
    } else if (dice < 0.8) {
      const { typeCode, id } = any();
      await record.update(typeCode, id, content(`"n":${n}`));
    } else {
      const { typeCode, id } = any();
      await record.delete(typeCode, id);
    }
  }
}

it('proves each manifest exact against the history, whatever was written, deleted and compacted during it', async () => {
  const test = await ExportUnderTest.start({ settings: { fileResources: 120 } });
  const client = test.newClient();
  const users = Array.from({ length: 3 }, () => test.newUser(client));
  const manifests: ExportManifest[] = [];
  const isOver = (): boolean => manifests.length === exports;
  const exporting = async (): Promise<void> => {
    while (!isOver()) {
      const last = manifests.at(-1);
      manifests.push(
        await test.manifest(
          client.headers,
          last && manifests.length % 2 === 1 ? `?_since=${last.transactionTime}` : '',
        ),
      );
    }
  };
  const compacting = async (): Promise<void> => {
    while (!isOver()) for (const { record } of users) await test.storage.compactRecord(record.userId);
  };
  await Promise.all([
    ...users.flatMap((user) => [writeUntil(isOver, user), writeUntil(isOver, user)]),
    exporting(),
    compacting(),
  ]);
  for (const [i, { transactionTime, request, output, deleted }] of manifests.entries()) {
    const time = Date.parse(transactionTime);
    const since = request.includes('_since') ? Date.parse(manifests[i - 1]!.transactionTime) : undefined;
    const now = new Map<string, string>();
    const then = new Map<string, string>();
    for (const { record } of users) {
      for (const [key, line] of await versionsAt(record, time)) now.set(key, line);
      if (since !== undefined) for (const [key, line] of await versionsAt(record, since)) then.set(key, line);
    }
    const expected = [...now].filter(([key, line]) => then.get(key) !== line).map(([, line]) => line);
    const lines = await test.lines(output, client.headers);
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.toSorted()).toEqual(expected.toSorted());
    const gone = [...then.keys()].filter((key) => !now.has(key)).map((key) => key.split('/')[1]);
    const named = (await test.lines(deleted, client.headers)).flatMap((line) =>
      (JSON.parse(line) as { entry: { request: { url: string } }[] }).entry.map(
        (entry) => entry.request.url.split('/')[1],
      ),
    );
    expect(named).toEqual(expect.arrayContaining(gone));
    expect(named.every((id) => ![...now.keys()].some((key) => key.endsWith(`/${id}`)))).toBe(true);
  }
  await test.stop();
});

it('compresses the same lines that it sends plain', async () => {
  const test = await ExportUnderTest.start();
  const user = test.newUser();
  await writeUntil((writes) => writes === 100, user);
  for (const file of (await test.manifest(user.bearer)).output) {
    const plain = await test.bytes(file, { ...user.bearer, 'Accept-Encoding': 'identity' });
    const pieces: Buffer[] = [];
    const address = file.url.replace(/^https:\/\/[^/]+/, '');
    const packed = test.get(address, { ...user.bearer, 'Accept-Encoding': 'gzip' }).buffer(true);
    const answer = await packed.parse((response, done) => {
      const stream = response as unknown as NodeJS.ReadableStream;
      stream.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => done(null, ''));
    });
    expect(answer.headers['content-encoding']).toBe('gzip');
    const body = Buffer.concat(pieces);
    expect((body[0] === 0x1f ? gunzipSync(body) : body).equals(plain)).toBe(true);
  }
  await test.stop();
});
