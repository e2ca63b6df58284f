import { releases, resourceTypes } from '@tributary/fhir-definitions';
import { supportedParameters } from '@tributary/fhir-search';
import { validateResource } from '@tributary/fhir-validation';
import { clinicalTypes, exampleResource } from './clinical-types';
import { fhirDocument } from './document';

interface Document {
  paths: Record<string, Record<string, { operationId: string; parameters?: { $ref?: string }[] }>>;
  components: Record<string, Record<string, unknown>>;
}

const documents = releases.map(
  (release) => [release, fhirDocument(release, 'https://api.example.org') as Document] as const,
);

describe.each(documents)('the OpenAPI document of %s', (release, document) => {
  const text = JSON.stringify(document);

  it('has every component that it refers to, and no other', () => {
    const referred = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, name]) => name));
    const existing = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, named]) => Object.keys(named).map((name) => `${kind}/${name}`));
    expect([...referred].sort()).toEqual(existing.sort());
  });

  it('has a unique id for every operation', () => {
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('names every search parameter of the clinical types, and all types of the release', () => {
    for (const type of clinicalTypes(release)) {
      const refs = document.paths[`/${type}`]?.['get']?.parameters?.map(({ $ref }) => $ref) ?? [];
      for (const { code } of supportedParameters(release, type)) {
        const shared = { _id: 'Id', _lastUpdated: 'LastUpdated' }[code];
        expect(refs).toContain(`#/components/parameters/${shared ?? `${type}.${code}`}`);
      }
    }
    expect(document.components['parameters']?.['AnyType']).toMatchObject({ schema: { enum: resourceTypes(release) } });
  });

  it.each([...clinicalTypes(release), 'Basic'])('has a valid example of %s', (type) => {
    expect(validateResource(release, exampleResource(release, type))).toEqual([]);
  });

  it('is at most 700 kB', () => {
    expect(text.length).toBeLessThan(700_000);
  });
});
