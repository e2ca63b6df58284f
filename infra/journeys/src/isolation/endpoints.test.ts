import { readySuite } from '../suite/ready';
import { releases } from '../suite/sample-resources';
import { RouteCheck, send } from './check-route';
import { FhirOperations, knownKinds } from './fhir-routes';
import { type Operation, operationsOf } from './operations';
import { type World, worldOfOwner } from './parties';
import { type PublicApi, publicApis } from './public-apis';

const ready = readySuite();
const apis = publicApis(ready);

/**
 * Sends one valid request of each operation of the OpenAPI documents. An operation without a case fails, and so does a
 * response with another status than its case, or another body than its document (suite/check-answers.ts).
 */
describe('every public endpoint', () => {
  let world: World;
  let operationsOfApis: Map<string, Operation>[];
  let fhir: FhirOperations[];
  beforeAll(async () => {
    world = await worldOfOwner(ready, 'every public endpoint');
    operationsOfApis = await Promise.all(
      apis.map(
        async ({ base }) =>
          new Map((await operationsOf(`${base}/openapi.json`)).map((each) => [each.operationId, each] as const)),
      ),
    );
    fhir = await Promise.all(releases.map((release) => FhirOperations.read(ready, world, release)));
  });

  it.each(apis.map(({ name }, index) => [name, index] as const))('of %s has a case', (_, index) => {
    const { routes = [], open = [] } = apis[index] ?? {};
    const covered = new Set([...routes.map(({ operationId }) => operationId), ...open]);
    expect([...covered].toSorted()).toEqual([...(operationsOfApis[index]?.keys() ?? [])].toSorted());
  });

  it.each(releases.map((release, index) => [release, index] as const))('of FHIR in %s has a case', (_, index) => {
    expect(fhir[index]?.kinds().toSorted()).toEqual(knownKinds.toSorted());
  });

  it('responds as documented', async () => {
    const problems = await Promise.all([
      ...apis.map((api, index) => problemsOf(api, operationsOfApis[index] ?? new Map())),
      ...fhir.map((operations) => problemsOfFhir(operations)),
    ]);
    expect(problems.flat()).toEqual([]);
  });

  /** One after the other in the order of the cases, because some change what later ones name. */
  async function problemsOf({ base, server = base, routes, open }: PublicApi, operations: Map<string, Operation>) {
    const problems: string[] = [];
    const sent = new Set<string>();
    for (const route of routes) {
      const operation = operations.get(route.operationId);
      if (!operation || sent.has(route.operationId)) continue;
      sent.add(route.operationId);
      problems.push(...(await new RouteCheck(world, server, operation, route).runAsOwner()));
    }
    const others = [...operations.values()].filter(({ operationId }) => open.includes(operationId));
    return [...problems, ...(await problemsOfOpen(server, others))];
  }

  async function problemsOfFhir(operations: FhirOperations): Promise<string[]> {
    const problems: string[] = [];
    for (const kind of knownKinds)
      problems.push(...(await Promise.all(operations.checksOf(kind).map((check) => check.runAsOwner()))).flat());
    return [...problems, ...(await problemsOfOpen(ready.base_url, operations.open))];
  }

  async function problemsOfOpen(base: string, operations: readonly Operation[]): Promise<string[]> {
    const problems: string[] = [];
    for (const operation of operations) {
      const { status } = await send(base, operation, {});
      if (status !== 200) problems.push(`${operation.operationId}: ${status} in place of 200`);
    }
    return problems;
  }
});
