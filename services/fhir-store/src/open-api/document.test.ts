import { releases } from '@tributary/fhir-definitions';
import { validateResource } from '@tributary/fhir-validation';
import { routeOfRequest } from '../routing/request-route';
import { fhirDocument } from './document';
import { examplePatient } from './parameters';

interface Operation {
  operationId: string;
  responses: Record<string, object>;
}

const document = fhirDocument('https://api.example.org') as {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
};
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);

describe('the OpenAPI document of FHIR', () => {
  it('has every component that it refers to, and no other', () => {
    const text = JSON.stringify(document);
    const referred = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, name]) => name));
    const existing = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, named]) => Object.keys(named).map((name) => `${kind}/${name}`));
    expect([...referred].sort()).toEqual(existing.sort());
  });

  it('has a unique id for every operation', () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  it.each(releases)('has only operations that %s has', (release) => {
    for (const { path, method } of operations) {
      const address = path
        .replace('{type}', path.includes('{member}') ? 'Patient' : 'Observation')
        .replace('{member}', 'Observation');
      expect(routeOfRequest(release, method.toUpperCase(), address.split('/').slice(2))).toBeDefined();
    }
    expect(operations.length).toBeGreaterThan(30);
  });

  it.each(releases)('has an example that is valid in %s', (release) => {
    expect(validateResource(release, examplePatient)).toEqual([]);
  });
});
