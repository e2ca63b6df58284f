import { readySuite } from '../suite/ready';
import { RouteCheck, send } from './check-route';
import { FhirOperations, knownKinds, releases } from './fhir-routes';
import { type Operation, operationsOf } from './operations';
import { type World, worldOfOwner } from './parties';
import { publicApis } from './public-apis';

const ready = readySuite();

describe('every public endpoint', () => {
  let world: World;
  beforeAll(async () => {
    world = await worldOfOwner(ready, 'every public endpoint');
  });

  describe.each(publicApis(ready))('of $name', ({ base, server = base, routes, open }) => {
    const operations = new Map<string, Operation>();
    const operationOf = (operationId: string): Operation => {
      const operation = operations.get(operationId);
      if (!operation) throw new Error('the document has no such operation');
      return operation;
    };
    beforeAll(async () => {
      for (const operation of await operationsOf(`${base}/openapi.json`))
        operations.set(operation.operationId, operation);
    });

    it('has a case', () => {
      const covered = new Set([...routes.map(({ operationId }) => operationId), ...open]);
      expect([...covered].toSorted()).toEqual([...operations.keys()].toSorted());
    });

    it.each(routes.map((route) => [[route.operationId, route.about].filter(Boolean).join(', '), route] as const))(
      '%s',
      async (_, route) => {
        const check = new RouteCheck(world, server, operationOf(route.operationId), route);
        expect(await RouteCheck.runAsOwner([check])).toEqual([]);
      },
    );

    it.each(open)('%s', async (operationId) => {
      expect((await send(server, operationOf(operationId), {})).status).toBe(200);
    });
  });

  describe.each(releases)('of FHIR in %s', (release) => {
    let operations: FhirOperations;
    beforeAll(async () => {
      operations = await FhirOperations.read(ready, world, release);
    });

    it('has a case', () => {
      expect(operations.kinds().toSorted()).toEqual(knownKinds.toSorted());
    });

    // All types have the same operations: one of each kind is enough here.
    it.each(knownKinds)('%s', async (kind) => {
      expect(await RouteCheck.runAsOwner(operations.checksOf(kind).slice(0, 1))).toEqual([]);
    });
  });
});
