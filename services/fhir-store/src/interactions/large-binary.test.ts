import { randomBytes } from 'node:crypto';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

it('keeps content of 15 MB whole, and refuses more', async () => {
  const Authorization = `Bearer ${store.user().token}`;
  const content = randomBytes(15_000_000);
  const post = (body: Buffer): Promise<Response> =>
    fetch(`${store.url}/r4/Binary`, {
      method: 'POST',
      body,
      headers: { Authorization, 'Content-Type': 'application/dicom', Prefer: 'return=minimal' },
    });
  const created = await post(content);
  expect(created.status).toBe(201);
  const { pathname } = new URL(created.headers.get('location') as string);
  const read = await fetch(`${store.url}${pathname}`, { headers: { Authorization } });
  expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true);
  const refused = await post(Buffer.concat([content, Buffer.from('x')]));
  expect([refused.status, await refused.json()]).toMatchObject([
    413,
    { issue: [{ diagnostics: 'the content of a Binary is larger than 15 MB' }] },
  ]);
});
