import { releases } from '@tributary/fhir-definitions';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { textOf } from '../../test/record-over-http';

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

it.each(releases)(
  'every operation of the document leaves in %s an event of the user, except for the metadata',
  async (release) => {
    const user = store.user();
    const { id } = await user.create(release, { resourceType: 'Observation', status: 'final', code: { text: 'x' } });
    const document = JSON.parse(textOf(await user.get('/openapi.json'))) as {
      paths: Record<string, object>;
    };
    const silent: string[] = [];
    let operations = 0;
    for (const [path, item] of Object.entries(document.paths))
      for (const method of methods.filter((name) => name in item)) {
        const address = path
          .replace('{release}', release)
          .replace('{type}', path.includes('{member}') ? 'Patient' : 'Observation')
          .replace('{member}', 'Observation')
          .replace('{id}', id)
          .replace(/\{\w+\}/g, '1');
        const before = store.events.length;
        const isRead = method === 'get' || method === 'delete';
        await user.send(method, address, isRead ? undefined : {});
        operations++;
        if (!store.events.slice(before).some(({ subject }) => subject === user.userId))
          silent.push(`${method} ${path}`);
      }
    expect(operations).toBeGreaterThan(30);
    expect(silent).toEqual(['get /{release}/metadata']);
  },
);
