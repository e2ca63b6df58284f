import { describeDatabase } from '../suite/database';
import { readySuite } from '../suite/ready';
import { RouteCheck, send } from './check-route';
import { type Operation, operationsOf } from './operations';
import { ownerDigest } from './owner-digest';
import { type World, newWorld, sentBy } from './parties';
import { publicApis } from './public-apis';

const ready = readySuite();

describeDatabase('isolation', () => {
  let world: World;
  beforeAll(async () => {
    world = await newWorld(ready, 'isolation');
  });

  describe.each(publicApis(ready))('of $name', ({ base, server = base, routes, open: openOperations }) => {
    const operations = new Map<string, Operation>();
    beforeAll(async () => {
      for (const operation of await operationsOf(`${base}/openapi.json`))
        operations.set(operation.operationId, operation);
    });
    const operationOf = (operationId: string): Operation => {
      const operation = operations.get(operationId);
      if (!operation) throw new Error('the document has no such operation');
      return operation;
    };

    it('covers every operation of the document, and no other', () => {
      const covered = [...new Set([...routes.map(({ operationId }) => operationId), ...openOperations])];
      expect(covered.toSorted()).toEqual([...operations.keys()].toSorted());
    });

    it.each(routes.map((route) => [[route.operationId, route.about].filter(Boolean).join(', '), route] as const))(
      '%s',
      async (_, route) => {
        const check = new RouteCheck(world, server, operationOf(route.operationId), route);
        expect(await RouteCheck.run([check], () => ownerDigest(ready, world))).toEqual([]);
      },
    );

    it.each(openOperations)('%s tells everyone the same', async (operationId) => {
      const operation = operationOf(operationId);
      expect(operation.security).toEqual([]);
      const { text } = await send(server, operation, {});
      for (const credentials of [world.owner, ...world.refused.map(([, refused]) => refused)])
        for (const scheme of ['user_token', 'client_id'] as const) {
          const reply = await send(server, operation, sentBy(scheme, credentials, world.owner) ?? {});
          expect([reply.status, reply.text]).toEqual([200, text]);
        }
    });
  });
});
