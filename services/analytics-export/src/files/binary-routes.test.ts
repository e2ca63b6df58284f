import { randomBytes } from 'node:crypto';
import type { Release } from '@tributary/fhir-definitions';
import { typeCodeOf } from '@tributary/record-storage';
import { ExportUnderTest, type TestClient, type TestUser, binary, fill } from '../../test/export-under-test';

let test: ExportUnderTest;
let client: TestClient;
let user: TestUser;
beforeAll(async () => {
  test = await ExportUnderTest.start();
  client = test.newClient();
  user = test.newUser(client);
});
afterAll(() => test.stop());

const content = randomBytes(100_001);
const member = { dstu2: 'content', stu3: 'content', r4: 'data' } as const;
const addressOf = (id: string): string => `/bulk-data/r4/Binary/${id}`;
const storedBinary = async (
  of: TestUser,
  release: Release = 'r4',
  contentType = 'application/pdf',
): Promise<string> => {
  const members = `"contentType":"${contentType}","${member[release]}":"${content.toString('base64')}"`;
  const [id] = await fill(of.record, release, 'Binary', 1, () => members);
  return id as string;
};
const get = (id: string, headers: Record<string, string>): ReturnType<ExportUnderTest['get']> =>
  test.get(addressOf(id), headers).buffer(true).parse(binary);

it.each(['dstu2', 'stu3', 'r4'] as const)(
  'sends the content of a Binary of %s in its own media type',
  async (release) => {
    const id = await storedBinary(user, release);
    for (const headers of [user.bearer, client.headers]) {
      const answer = await get(id, { ...headers, Accept: 'application/pdf' });
      expect([answer.status, answer.headers['content-type'], answer.headers['etag']]).toEqual([
        200,
        'application/pdf',
        'W/"1"',
      ]);
      expect((answer.body as Buffer).equals(content)).toBe(true);
    }
    const fhir = await test.get(addressOf(id), { ...user.bearer, Accept: 'application/fhir+json' });
    expect(JSON.parse(fhir.text)).toMatchObject({ resourceType: 'Binary', data: content.toString('base64') });
    expect(fhir.headers['content-type']).toBe('application/fhir+json; charset=utf-8');
  },
);

it('returns FHIR JSON under the media type that the client names', async () => {
  const id = await storedBinary(user);
  for (const type of ['application/json', 'application/json+fhir'])
    expect((await test.get(addressOf(id), { ...user.bearer, Accept: type })).headers['content-type']).toBe(
      `${type}; charset=utf-8`,
    );
  expect((await get(id, { ...user.bearer, Accept: 'image/png' })).headers['content-type']).toBe('application/pdf');
});

it('sends a file that no browser runs, a range of it, and its headers', async () => {
  const id = await storedBinary(user, 'r4', 'text/html');
  const whole = await get(id, user.bearer);
  expect(whole.headers).toMatchObject({
    'content-disposition': `attachment; filename="Binary-${id}.html"`,
    'content-security-policy': expect.stringMatching(/^sandbox;/),
    'x-content-type-options': 'nosniff',
  });
  const part = await get(id, { ...user.bearer, Range: 'bytes=50000-60000' });
  expect([part.status, (part.body as Buffer).equals(content.subarray(50_000, 60_001))]).toEqual([206, true]);
});

it('is for the user of the token, or any user of the client', async () => {
  const id = await storedBinary(user);
  const system = (scope: string): Record<string, string> => ({
    Authorization: `Bearer ${test.auth.addToken(client.client_id, undefined, scope)}`,
  });
  const status = async (headers: Record<string, string>, of = id): Promise<number> => (await get(of, headers)).status;
  expect(await status(system('system/*.read'))).toBe(200);
  expect(await status(system('system/Binary.rs'))).toBe(200);
  expect(await status(system('system/DocumentReference.rs'))).toBe(403);
  expect(await status(test.newUser(client).bearer)).toBe(404);
  expect(await status(test.newUser().bearer)).toBe(404);
  expect(await status(test.newClient().headers)).toBe(404);
  expect(await status({})).toBe(401);
  expect(await status(user.bearer, 'no-id')).toBe(404);
  const [patient] = await fill(user.record, 'r4', 'Patient', 1);
  expect(await status(user.bearer, patient)).toBe(404);
});

it('gets 404 after its deletion and after the destruction of the record', async () => {
  const [own, deleted] = [test.newUser(client), await storedBinary(user)];
  await user.record.delete(typeCodeOf('r4', 'Binary'), deleted);
  expect((await get(deleted, client.headers)).status).toBe(404);
  const destroyed = await storedBinary(own);
  await test.storage.destroyRecord(own.record.userId);
  expect((await get(destroyed, client.headers)).status).toBe(404);
});

it('is recorded in the audit log before it is sent', async () => {
  const id = await storedBinary(user);
  await get(id, { ...client.headers, 'X-Request-Id': 'attachment-1' });
  await get(randomBytes(4).toString('hex'), { ...client.headers, 'X-Request-Id': 'attachment-2' });
  const events = test.events.filter(({ requestId }) => requestId?.startsWith('attachment-'));
  const download = { kind: 'download', agent: { clientId: client.client_id } };
  // The client has no user in its token; the event names the user whose Binary it is.
  const shared = { ...download, subject: user.record.userId };
  const one = { release: 'r4', type: 'Binary', id, count: 1 };
  expect(events).toMatchObject([
    { ...shared, requestId: 'attachment-1', outcome: 'begun', entities: [one] },
    { ...shared, requestId: 'attachment-1', outcome: 'success', entities: [{ ...one, bytes: content.length }] },
    { ...download, requestId: 'attachment-2', outcome: 'refused' },
  ]);
});
