import { releases } from '@tributary/fhir-definitions';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { textOf } from '../../test/record-over-http';

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** The paths of other types have the same routes. */
const ofOneType = /^\/(?:Observation|Patient|Binary|\{type\}|_|\$|[a-z]|$)/;

it.each(releases)(
  'every operation in the document of %s leaves an event of the user, except for the metadata',
  async (release) => {
    const user = store.user();
    const { id } = await user.create(release, { resourceType: 'Observation', status: 'final', code: { text: 'x' } });
    const document = JSON.parse(textOf(await user.get(`/${release}/openapi.json`))) as {
      paths: Record<string, object>;
    };
    const paths = Object.entries(document.paths).filter(([path]) => ofOneType.test(path));
    const silent: string[] = [];
    let operations = 0;
    for (const [path, item] of paths)
      for (const method of methods.filter((name) => name in item)) {
        const address = path
          .replace('{type}', path.includes('{member}') ? 'Patient' : 'Observation')
          .replace('{member}', 'Observation')
          .replace('{id}', id)
          .replace(/\{\w+\}/g, '1');
        const before = store.events.length;
        const isRead = method === 'get' || method === 'delete';
        await user.send(method, `/${release}${address}`, isRead ? undefined : {});
        operations++;
        if (!store.events.slice(before).some(({ subject }) => subject === user.userId))
          silent.push(`${method} ${path}`);
      }
    expect(operations).toBeGreaterThan(30);
    expect(silent).toEqual(['get /metadata']);
  },
);
