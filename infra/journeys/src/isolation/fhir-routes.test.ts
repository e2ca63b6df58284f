import { describeDatabase } from '../suite/database';
import { Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type Release, releases, sampleOf } from '../suite/sample-resources';
import { RouteCheck, comparable } from './check-route';
import { FhirOperations, FhirResources, knownKinds } from './fhir-routes';
import { type World, newWorld } from './parties';

const ready = readySuite();

describeDatabase('isolation of records', () => {
  let world: World;
  let resources: FhirResources;
  beforeAll(async () => {
    world = await newWorld(ready, 'isolation of records');
    resources = new FhirResources(ready, world);
  });

  describe.each(releases)('in %s', (release) => {
    const base = `${ready.base_url}/${release}`;
    let operations: FhirOperations;
    beforeAll(async () => {
      operations = await FhirOperations.read(ready, world, release);
    });

    it('covers every operation of the document, and no other', () => {
      expect(operations.kinds().toSorted()).toEqual(knownKinds.toSorted());
      expect(operations.open.map(({ operationId }) => operationId)).toEqual(['getCapabilities']);
    });

    it.each(knownKinds)('%s', async (kind) => {
      const checks = operations.checksOf(kind);
      expect(checks).not.toEqual([]);
      expect(await RouteCheck.run(checks, async () => new Map([['record', await recordDigest(release)]]))).toEqual([]);
    });

    it('a link to the next page is of use to its user only, and in its release only', async () => {
      for (let count = 0; count < 2; count++)
        await resources.create(world.owner, release, sampleOf(release, 'Patient'));
      const links = await Promise.all(
        ['Patient?_count=1', '_history?_count=1', 'Patient/_history?_count=1', '?_type=Patient&_count=1'].map(
          async (query) => nextOf(await read(`${base}/${query}`, world.owner.userToken)),
        ),
      );
      for (const next of links) {
        const forged = next.replace(/.{20}$/, '0'.repeat(20));
        const refused = comparable(await read(forged, world.otherUser.userToken), {});
        expect(refused.status).toBe(400);
        for (const { userToken } of [world.otherUser, world.otherClient])
          expect(comparable(await read(next, userToken), {})).toEqual(refused);
        const elsewhere = next.replace(`/${release}`, release === 'r4' ? '/stu3' : '/r4');
        expect((await read(elsewhere, world.owner.userToken)).status).toBe(400);
        expect((await read(next, world.owner.userToken)).status).toBe(200);
      }
    });
  });

  const read = (url: string, token: string): ReturnType<typeof http> => http('GET', url, { headers: bearer(token) });

  function nextOf({ json }: { json: Json }): string {
    const links = json.list('link').map((link) => new Json(link));
    return links.find((link) => link.at('relation') === 'next')?.text('url') ?? '';
  }

  /** The number of versions in the owner's record of a release, and the newest of them. */
  async function recordDigest(release: Release): Promise<string> {
    const { json, status } = await read(`${ready.base_url}/${release}/_history?_count=2`, world.owner.userToken);
    if (status !== 200) throw new Error(`the history of the owner has status ${status}`);
    return JSON.stringify([json.at('total'), json.at('entry')]);
  }
});
